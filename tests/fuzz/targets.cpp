#include "fuzz/targets.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace scalesweep::fuzz {
namespace {

// clang-format off
constexpr std::array all = {
    Target{"quantity", run_quantity, 64, 20000, "a quantity with its unit", quantity_words},
    Target{"json", run_json, 4096, 20000, "JSON", json_words},
    Target{"toml", run_toml, 4096, 5000, "TOML, with all that cursors tell of it", toml_words},
    Target{"csv", run_csv, 4096, 20000, "a table of comma-separated values", csv_words},
    Target{"filter", run_filter, 256, 5000, "a filter of a spec", filter_words},
    Target{"condition", run_condition, 256, 5000, "a condition on columns", condition_words},
    Target{"spec", run_spec, 8192, 500, "a spec, held against the catalog", spec_words},
    Target{"cases", run_cases, 4096, 500, "a file of measured cases", cases_words},
    Target{"trace", run_trace, 4096, 5000, "a trace of requests", trace_words},
    Target{"log", run_log, 8192, 5000, "logs of measurements", log_words},
    Target{"config", run_config, 4096, 5000, "config.json of a model", config_words},
    Target{"import", run_import, 4096, 2000, "configurations of other programs", import_words},
    Target{"codec", run_codec, 4096, 20000, "a chunk of a column, and the way back"},
    Target{"study", run_study, 128, 200, "a damaged study"},
    Target{"segments", run_segments, 128, 200, "a damaged folder of an unfinished study"},
    Target{"evaluate", run_evaluate, 64, 200, "choices for a spec, which is evaluated"},
};
// clang-format on

}  // namespace

std::span<const Target> targets() {
  return all;
}

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Target& target) { return target.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void print_targets() {
  for (const Target& target : all) {
    std::printf("%s %zu\n", target.name.data(), target.longest);
  }
}

}  // namespace scalesweep::fuzz
