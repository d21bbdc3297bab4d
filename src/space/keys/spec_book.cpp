#include "space/keys/spec_book.hpp"

#include <array>

#include "config/key_schema.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {
namespace {

using keys::diffusion;
using keys::recommendation;
using keys::reinforcement;
using keys::requests;
using keys::serving;
using keys::training;

constexpr auto& kinds = parallel::workload_kind_names;
constexpr std::array<std::string_view, 2> forms = {"derived devices", "catalogued devices"};
constexpr config::Variants any_kind =
    training | requests | recommendation | diffusion | reinforcement;
constexpr config::Variants any_device = derived_device | catalogued_device;

// clang-format off
constexpr std::array groups = {
    config::KeyGroup{"top", "", "Top level"},
    config::KeyGroup{"workload", "workload", "[workload]", any_kind, kinds},
    config::KeyGroup{"workload-training", "workload", "[workload] of training", training, kinds},
    config::KeyGroup{"phases", "workload.phases", "phases = [{ ... }] of training", training,
                     kinds},
    config::KeyGroup{"precision-training", "workload.precision",
                     "precision = { ... } of training", training, kinds},
    config::KeyGroup{"workload-requests", "workload", "[workload] of inference and serving",
                     requests, kinds},
    config::KeyGroup{"workload-recommendation", "workload", "[workload] of recommendation",
                     recommendation, kinds},
    config::KeyGroup{"workload-diffusion", "workload", "[workload] of diffusion", diffusion, kinds},
    config::KeyGroup{"workload-reinforcement", "workload",
                     "[workload] of reinforcement_learning", reinforcement, kinds},
    config::KeyGroup{"requests", "workload.requests", "requests = [{ ... }] of serving", serving,
                     kinds},
    config::KeyGroup{"precision-requests", "workload.precision",
                     "precision = { ... } of inference and serving", requests, kinds},
    config::KeyGroup{"system", "system", "[system]", any_device, forms},
    config::KeyGroup{"system-catalogued", "system", "[system] of catalogued devices",
                     catalogued_device, forms},
    config::KeyGroup{"system-derived", "system", "[system] of derived devices", derived_device,
                     forms},
    config::KeyGroup{"allocate", "allocate", "[allocate]"},
    config::KeyGroup{"economics", "economics", "[economics]"},
    config::KeyGroup{"run", "run", "[run]", training, kinds},
    config::KeyGroup{"draws", "draws", "[draws]"},
    config::KeyGroup{"strategy", "strategy", "[strategy]", any_kind, kinds},
    config::KeyGroup{"prefill", "prefill", "[prefill]", serving, kinds},
    config::KeyGroup{"decode", "decode", "[decode]", serving, kinds},
    config::KeyGroup{"search", "search", "[search]"},
    config::KeyGroup{"together", "together", "[[together]]"},
    config::KeyGroup{"filter", "filter", "[[filter]]"},
    config::KeyGroup{"require", "require", "[[require]]"},
    config::KeyGroup{"keep", "keep", "[keep]", any_kind, kinds},
    config::KeyGroup{"objectives", "objectives", "[objectives]"},
    config::KeyGroup{"dataset", "dataset", "[dataset]"},
};
// clang-format on

}  // namespace

const config::KeyBook& spec_book() {
  static const config::KeyBook book = {spec_keys(), groups};
  return book;
}

std::string spec_schema() {
  const std::vector<std::string_view> of_kinds = {"workload", "strategy", "prefill",
                                                  "decode",   "keep",     "run"};
  std::vector<config::SchemaCase> cases;
  for (const WorkloadKind kind : {WorkloadKind::training, WorkloadKind::inference,
                                  WorkloadKind::serving, WorkloadKind::recommendation,
                                  WorkloadKind::diffusion, WorkloadKind::reinforcement_learning}) {
    cases.push_back({"workload", "kind", kinds[kind], of(kind), of_kinds});
  }
  cases.push_back({"system", "device", config::a_table, derived_device, {"system"}});
  cases.push_back({"system", "device", config::no_table, catalogued_device, {"system"}});
  return config::file_schema("A study of scalesweep", spec_keys(), cases);
}

}  // namespace scalesweep::space
