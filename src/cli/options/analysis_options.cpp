#include "cli/options/analysis_options.hpp"

#include <fmt/core.h>

#include "cli/options/command_line.hpp"
#include "cli/options/options.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

// Values with commas between them, in one word.
void add_names(Command& command, const std::string& name, std::vector<std::string>& names,
               const std::string& description, const std::string& type) {
  command.option(name, names, type, description).list();
}

}  // namespace

std::shared_ptr<AnalysisArguments> add_analysis_options(Command& command, const char* threads) {
  auto arguments = std::make_shared<AnalysisArguments>();
  analysis::AnalyzeOptions& options = arguments->options;
  command.option(
      "--along", options.along, "AXIS,...",
      "Axis along which the bottleneck is followed, or several that advance together, as "
      "logic,memory (default: logic, else the first that varies)");
  command.option("--where", options.where, "CONDITION",
                 "Rows that take part, as \"tp <= 8 and memory == 'HBM4'\": sweeps/README.md has "
                 "the language");
  add_names(command, "--per", options.per,
            "Columns whose values have frontiers of their own (default: what is asked, as the "
            "model)",
            "COLUMN");
  command
      .option("--ranks", options.ranks, "N",
              "Ranks of the frontier that are listed: 1 the frontier, 2 also that of what is "
              "left without it, ... (default: 1)")
      .within(1, analysis::most_ranks);
  command.option("--threads", options.reading.threads, "N", threads).at_least(0);
  add_names(command, "--phase", options.phase,
            "The two axes of the phase diagram (default: that of --along and the next)",
            "AXIS,AXIS");
  command.flag("--hold", options.hold,
               "Hold the strategy that is best at the first value all along the axis");
  add_names(command, "--minimize", arguments->minimize,
            "Objectives of the frontier (default: those of the study)", "COLUMN");
  add_names(command, "--maximize", arguments->maximize, "Objectives of which more is better",
            "COLUMN");
  return arguments;
}

analysis::AnalyzeOptions options_of(const AnalysisArguments& arguments) {
  analysis::AnalyzeOptions options = arguments.options;
  for (const std::string& column : arguments.minimize) {
    options.objectives.push_back({column, analysis::Direction::minimize});
  }
  for (const std::string& column : arguments.maximize) {
    options.objectives.push_back({column, analysis::Direction::maximize});
  }
  return options;
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
