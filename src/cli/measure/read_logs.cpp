#include "cli/measure/read_logs.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <fstream>

#include "cli/measure/new_file.hpp"
#include "cli/measure/training_log.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

using validation::LogKind;

validation::LogRows read_text(LogKind kind, const validation::Log& log, std::int64_t vocab) {
  switch (kind) {
    case LogKind::collectives:
      return validation::read_collectives(log);
    case LogKind::nvbench:
      return validation::read_nvbench(log);
    case LogKind::nvbench_csv:
      return validation::read_nvbench_csv(log);
    case LogKind::trace:
      return validation::read_trace(log);
    case LogKind::training:
      return read_training_log(log, vocab);
  }
  return {};
}

struct ReadLog {
  LogKind kind = LogKind::trace;
  validation::LogRows found;
};

// A trace may be larger than the memory, and is read piece by piece; other logs, and what comes out
// of a pipe, are read whole.
ReadLog read_one(const std::string& path, const ReadArguments& arguments) {
  validation::Log log = {fs::path(path).filename().string(), "", arguments.device};
  if (fs::is_regular_file(path)) {
    std::ifstream text = open_to_read(path);
    if (validation::is_trace(text)) {
      text.clear();
      text.seekg(0);
      return {LogKind::trace, validation::read_trace(log, text)};
    }
  }
  log.text = read_file(path);
  const auto kind = validation::kind_of_log(log.text);
  if (!kind) {
    refuse(fmt::format("{}: a log of none of these: {}", path,
                       fmt::join(validation::log_kind_names, ", ")));
  }
  return {*kind, read_text(*kind, log, arguments.vocab)};
}

// Of all logs together: a case file holds kernels or steps, not both.
struct Collected {
  std::vector<validation::CaseCells> rows;
  std::string of_steps;  // a log of each kind; "" for none
  std::string of_kernels;
};

void collect(const std::string& path, const ReadArguments& arguments, const Streams& streams,
             Collected& all) {
  const std::string file = fs::path(path).filename().string();
  ReadLog log = read_one(path, arguments);
  (log.kind == LogKind::training ? all.of_steps : all.of_kernels) = path;
  if (!all.of_steps.empty() && !all.of_kernels.empty()) {
    refuse(
        fmt::format("{} has steps and {} kernels, which are files of their own; read them one "
                    "after the other",
                    all.of_steps, all.of_kernels));
  }
  for (validation::CaseCells& row : log.found.rows) {
    row["device"] = arguments.device;
    row["source"] = fmt::format("{}, {}", validation::log_kind_names[log.kind], file);
    all.rows.push_back(std::move(row));
  }
  tell(streams, fmt::format("{}: {}, {} rows\n", file, validation::log_kind_names[log.kind],
                            log.found.rows.size()));
  for (const std::string& note : log.found.notes) {
    tell(streams, fmt::format("{}: note: {}\n", file, note));
  }
}

}  // namespace

ExitCode read_logs(const catalog::Catalog& catalog, const ReadArguments& given,
                   const Streams& streams) {
  ReadArguments arguments = given;
  arguments.device =
      known_entry(catalog, catalog::Section::devices, "--device", "device", given.device);
  check_new_file("measure", arguments.output);
  Collected all;
  for (const std::string& log : arguments.logs) {
    collect(log, arguments, streams, all);
  }
  if (all.rows.empty()) {
    refuse("nothing was read that case files have");
  }
  write_new_file(arguments.output,
                 validation::case_text(validation::written_columns(all.rows), all.rows), streams);
  return ExitCode::ok;
}

}  // namespace scalesweep::cli
