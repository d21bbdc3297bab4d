#include "cli/options/analysis_options.hpp"

#include <fmt/core.h>

#include "cli/options/command_line.hpp"
#include "cli/output/reading_line.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
std::shared_ptr<AnalysisArguments> add_analysis_options(Command& command, const char* threads) {
  auto arguments = std::make_shared<AnalysisArguments>();
  analysis::AnalyzeOptions& options = arguments->options;
  command.operand("file", arguments->file, "FILE", "A study, finished or not", "the study",
                  command.name() + " FILE");
  command.option(
      "--along", options.along, "AXIS,...",
      "Axis along which the bottleneck is followed, or several that advance together, as "
      "logic,memory (default: logic, else the first that varies)");
  command.option("--where", options.where, "CONDITION",
                 "Rows that take part, as \"tp <= 8 and memory == 'HBM4'\": sweeps/README.md has "
                 "the language");
  command
      .option("--per", options.per, "COLUMN",
              "Columns whose values have frontiers of their own (default: what is asked, as the "
              "model)")
      .list();
  command
      .option("--ranks", options.ranks, "N",
              "Ranks of the frontier that are listed: 1 the frontier, 2 also that of what is "
              "left without it, ... (default: 1)")
      .within(1, analysis::most_ranks);
  command.option("--threads", options.reading.threads, "N", threads).at_least(0);
  command
      .option("--phase", options.phase, "AXIS,AXIS",
              "The two axes of the phase diagram (default: that of --along and the next)")
      .list();
  command.flag("--hold", options.hold,
               "Hold the strategy that is best at the first value all along the axis");
  command
      .option("--minimize", arguments->minimize, "COLUMN",
              "Objectives of the frontier (default: those of the study)")
      .list();
  command.option("--maximize", arguments->maximize, "COLUMN", "Objectives of which more is better")
      .list();
  return arguments;
}

std::vector<analysis::Objective> objectives_of(const std::vector<std::string>& minimize,
                                               const std::vector<std::string>& maximize) {
  std::vector<analysis::Objective> objectives;
  for (const std::string& column : minimize) {
    objectives.push_back({column, analysis::Direction::minimize});
  }
  for (const std::string& column : maximize) {
    objectives.push_back({column, analysis::Direction::maximize});
  }
  return objectives;
}

analysis::AnalysisResult analysed(const AnalysisArguments& arguments, const Streams& streams) {
  ReadingLine reading(streams);
  analysis::AnalyzeOptions options = arguments.options;
  options.objectives = objectives_of(arguments.minimize, arguments.maximize);
  options.reading.progress = reading.progress();
  return analysis::analyze(arguments.file, options);
}

std::string option_words(const AnalysisArguments& arguments) {
  std::string words;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words += fmt::format(" {} {}", option, value);
    }
  };
  const analysis::AnalyzeOptions& options = arguments.options;
  add("--along", options.along);
  add("--where", options.where.empty() ? "" : single_quoted(options.where));
  add("--per", join(options.per, ","));
  add("--ranks", options.ranks > 1 ? fmt::format("{}", options.ranks) : "");
  add("--phase", join(options.phase, ","));
  add("--minimize", join(arguments.minimize, ","));
  add("--maximize", join(arguments.maximize, ","));
  return words + (options.hold ? " --hold" : "");
}

}  // namespace scalesweep::cli
