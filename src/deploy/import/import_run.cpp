#include "deploy/import/import_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::deploy {
namespace {

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

bool holds(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

// As options of commands are written, with dashes or underscores.
std::optional<std::string> option(GivenKeys& keys, std::initializer_list<std::string_view> names) {
  std::optional<std::string> found;
  for (const std::string_view name : names) {
    if (const auto value = keys.text(name); value && !found) {
      found = value->substr(0, value->find(' '));
    }
  }
  return found;
}

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string meant(const catalog::Catalog& catalog, catalog::Section section,
                  const std::string& name, std::string_view what, std::string_view way_out) {
  const auto found = catalog.meant(section, with_dashes(name));
  if (found.empty()) {
    refuse(fmt::format("import: the catalog has no {} '{}'{}; give {}", what, name,
                       catalog.suggestion(section, name), way_out));
  }
  return found.front();
}

}  // namespace

std::optional<ImportFormat> format_of(const GivenFile& file) {
  const std::string& text = file.text;
  if (is_json(text)) {
    if (holds(text, "\"compute_chiplet\"")) {
      return ImportFormat::llmcompass;
    }
    const bool calculon =
        holds(text, "\"tensor_par\"") || holds(text, "\"num_blocks\"") || holds(text, "\"mem1\"");
    return calculon ? std::optional(ImportFormat::calculon) : std::nullopt;
  }
  if (holds(text, "aiconfigurator ")) {
    return ImportFormat::aiconfigurator;
  }
  if (holds(text, "--num-layers")) {
    return ImportFormat::megatron_lm;
  }
  if (holds(text, "tech_param:")) {
    return ImportFormat::rapid_llm;
  }
  return holds(text, "[parallelism]") || holds(text, "[training]")
             ? std::optional(ImportFormat::torchtitan)
             : std::nullopt;
}

Imported import_aiconfigurator(GivenKeys& keys, const catalog::Catalog& catalog,
                               const ImportQuestion& question) {
  using catalog::Section;
  Imported imported;
  imported.origin = "a case of AIConfigurator";
  const auto model = option(keys, {"--model", "--model-path", "--model_path"});
  const auto system = option(keys, {"--system"});
  const auto devices = option(keys, {"--total-gpus", "--total_gpus"});
  const auto backend = option(keys, {"--backend"});
  const auto prompt = keys.integer("--isl");
  const auto output = keys.integer("--osl");
  if (!model && question.model.empty()) {
    refuse(fmt::format("{}: no --model; give --model NAME", keys.file()));
  }
  if (!prompt || !output) {
    refuse(fmt::format("{}: no lengths of requests: --isl and --osl are needed", keys.file()));
  }
  std::string name = question.model;
  if (name.empty()) {
    // "Qwen/Qwen3-32B" of Hugging Face.
    name = meant(catalog, Section::models, model->substr(model->find_last_of('/') + 1), "model",
                 "--model NAME");
  }
  imported.workload = {{"kind", toml_text("serving")},
                       {"model", toml_text(name)},
                       {"prompt", std::to_string(*prompt)},
                       {"output", std::to_string(*output)},
                       {"framework", toml_text(backend == "vllm"     ? "vllm"
                                               : backend == "sglang" ? "sglang"
                                                                     : "tensorrt-llm")}};
  if (const auto limit = keys.number("--ttft")) {
    imported.workload["time_to_first_token"] = fmt::format("\"{:g} ms\"", *limit);
  }
  if (const auto limit = keys.number("--tpot")) {
    imported.workload["time_per_output_token"] = fmt::format("\"{:g} ms\"", *limit);
  }
  if (system && question.device.empty()) {
    imported.system["device"] =
        toml_text(meant(catalog, Section::devices, *system, "device", "--device NAME"));
  }
  set_system(imported, devices ? std::atoll(devices->c_str()) : 0, question);
  imported.notes.emplace_back(
      "AIConfigurator searches layouts: the spec tries all that are valid here");
  leave_out(imported, keys);
  return imported;
}

Imported import_files(ImportFormat format, const std::vector<GivenFile>& files,
                      const catalog::Catalog& catalog, const ImportQuestion& question) {
  if (format == ImportFormat::calculon) {
    std::vector<GivenKeys> all;
    for (const GivenFile& file : files) {
      all.push_back(keys_of_json(file.name, file.text));
    }
    return import_calculon(all, catalog, question);
  }
  if (files.size() > 1) {
    throw Failure(ExitCode::usage,
                  fmt::format("import: {} files of {}; only those of Calculon belong together, "
                              "import the others one by one",
                              files.size(), import_format_names[format]));
  }
  const GivenFile& file = files.front();
  GivenKeys keys = format == ImportFormat::llmcompass   ? keys_of_json(file.name, file.text)
                   : format == ImportFormat::torchtitan ? keys_of_toml(file.name, file.text)
                   : format == ImportFormat::rapid_llm  ? keys_of_yaml(file.name, file.text)
                                                        : keys_of_command(file.name, file.text);
  switch (format) {
    case ImportFormat::megatron_lm:
      return import_megatron(keys, catalog, question);
    case ImportFormat::torchtitan:
      return import_torchtitan(keys, catalog, question);
    case ImportFormat::llmcompass:
      return import_llmcompass(keys, catalog, question);
    case ImportFormat::rapid_llm:
      return import_rapid_llm(keys, catalog, question);
    default:
      return import_aiconfigurator(keys, catalog, question);
  }
}

}  // namespace scalesweep::deploy
