// scalesweep measure: what to measure of a device, as a case file without times; and case files of
// the logs of benchmarks, profilers and training runs.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/measure/new_file.hpp"
#include "cli/measure/read_logs.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "validation/measure/shapes.hpp"

namespace scalesweep::cli {
namespace {

using catalog::Section;

struct MeasureArguments {
  std::string device;
  std::vector<std::string> models = {"llama-3-8b", "llama-3-70b"};
  std::vector<std::string> precisions;
  ReadArguments read;
  std::string output;
};

technology::Precision known_precision(const technology::Device& device, const std::string& word) {
  const auto precision = technology::precision_from(word);
  if (!precision) {
    throw Failure(ExitCode::usage,
                  fmt::format("--precisions: '{}' is none of {}", word,
                              join(std::vector<std::string>(technology::precision_names.begin(),
                                                            technology::precision_names.end()),
                                   ", ")));
  }
  if (technology::matrix_peak(device, *precision).si() <= 0.0) {
    throw Failure(ExitCode::usage, fmt::format("--precisions: the catalog has no {} rate for {}",
                                               word, device.name));
  }
  return *precision;
}

ExitCode write_shapes(const catalog::Catalog& catalog, const MeasureArguments& arguments,
                      const Streams& streams) {
  check_new_file("measure", arguments.output);
  validation::ShapeQuestion question;
  question.device = known_entry(catalog, Section::devices, "--device", "device", arguments.device);
  const technology::Device& device = catalog.device(question.device);
  for (const std::string& model : arguments.models) {
    question.models.push_back(known_entry(catalog, Section::models, "--models", "model", model));
  }
  question.precisions = validation::measured_precisions(device);
  if (!arguments.precisions.empty()) {
    question.precisions.clear();
    for (const std::string& word : arguments.precisions) {
      question.precisions.push_back(known_precision(device, word));
    }
  }
  const auto rows = validation::shapes_to_measure(catalog, question);
  write_new_file(arguments.output, validation::case_text(validation::listed_columns(rows), rows),
                 streams);
  tell(streams,
       fmt::format("{} rows to measure on {}: fill in time_s, seconds of one kernel alone\n",
                   rows.size(), question.device));
  return ExitCode::ok;
}

}  // namespace

Command measure_command() {
  Command command("measure", "List what to measure of a device, or read logs of measurements");
  auto arguments = std::make_shared<MeasureArguments>();
  const Option device = command.option("--device", arguments->device, "NAME",
                                       "The device that is measured, an entry of the catalog");
  command
      .option("--models", arguments->models, "NAMES",
              "Whose GEMMs, experts and attention are listed (default: llama-3-8b,llama-3-70b)")
      .list();
  command
      .option(
          "--precisions", arguments->precisions, "NAMES",
          "Of GEMMs and experts, as bf16,fp8 (default: 16 bits and what the device has of fewer)")
      .list();
  command.option("-o,--output", arguments->output, "FILE",
                 "A new file for the cases (default: standard output)");
  command.option("--read", arguments->read.logs, "LOG...",
                 "Read logs into a case file instead: of nccl-tests, rccl-tests, nvbench (JSON, "
                 "CSV), traces of PyTorch, or of training by Megatron-LM");
  command.option("--vocab", arguments->read.vocab, "NUMBER",
                 "With --read: the vocabulary, where a training log does not say it");
  const auto choice = add_catalog_option(command);
  command.require(device, "say which device: --device NAME");
  command.body = [arguments, choice](const Streams& streams) {
    Diagnostics diagnostics;
    const auto catalog = catalog::Catalog::load(find_catalog(*choice), diagnostics);
    tell(streams, diagnostics.text());
    if (!catalog) {
      return ExitCode::bad_input;
    }
    if (arguments->read.logs.empty()) {
      return write_shapes(*catalog, *arguments, streams);
    }
    arguments->read.device = arguments->device;
    arguments->read.output = arguments->output;
    return read_logs(*catalog, arguments->read, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
