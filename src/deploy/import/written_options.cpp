#include "deploy/import/written_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parallel/fields.hpp"

namespace scalesweep::deploy {
namespace {

constexpr std::string_view of_framework = "framework: ";
constexpr std::array<std::string_view, 2> workload_keys = {"sequence", "global_batch"};

void set_field(GivenKeys& keys, std::string_view option, const parallel::Field& field,
               Imported& imported) {
  const std::string key(field.name);
  switch (field.kind) {
    case parallel::FieldKind::size:
    case parallel::FieldKind::stage:
      imported.strategy[key] = std::to_string(*keys.integer(option));
      break;
    case parallel::FieldKind::truth:
      imported.strategy[key] = keys.truth(option) ? "true" : "false";
      break;
    case parallel::FieldKind::word: {
      const std::string word = *keys.text(option);
      if (std::find(field.words.begin(), field.words.end(), word) == field.words.end()) {
        imported.left_out.push_back(
            fmt::format("{}: {} = {} (no {} of this name)", keys.file(), option, word, key));
      } else {
        imported.strategy[key] = toml_text(word);
      }
      break;
    }
  }
}

}  // namespace

void read_written_options(GivenKeys& keys, std::span<const TrainingOption> options,
                          Imported& imported) {
  for (const TrainingOption& option : options) {
    if (!keys.has(option.name) || keys.is_read(option.name)) {
      continue;
    }
    if (std::find(workload_keys.begin(), workload_keys.end(), option.why) != workload_keys.end()) {
      imported.workload[std::string(option.why)] = std::to_string(*keys.integer(option.name));
    } else if (const parallel::Field* field = parallel::find_field(option.why)) {
      set_field(keys, option.name, *field, imported);
    }
  }
}

void name_framework_options(GivenKeys& keys, std::span<const TrainingOption> options,
                            Imported& imported) {
  for (const TrainingOption& option : options) {
    if (option.why.starts_with(of_framework) && keys.has(option.name) &&
        !keys.is_read(option.name)) {
      const std::string value = *keys.text(option.name);
      imported.left_out.push_back(fmt::format(
          "{}: {}{}{} ({} is said by the entry of the framework)", keys.file(), option.name,
          value.empty() ? "" : " = ", value, option.why.substr(of_framework.size())));
    }
  }
}

SpecTable plain_strategy() {
  return {{"tensor_parallel", "1"},
          {"pipeline_parallel", "1"},
          {"context_parallel", "1"},
          {"chunks", "1"},
          {"micro_batch", "1"},
          {"recompute", "\"none\""},
          {"zero", "0"},
          {"sequence_parallel", "false"}};
}

}  // namespace scalesweep::deploy
