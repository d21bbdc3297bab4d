#include "cli/options/analysis_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/options/command_line.hpp"
#include "cli/options/options.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

// Values with commas between them, in one word.
void add_names(CLI::App& app, const std::string& name, std::vector<std::string>& names,
               const std::string& description, const std::string& type) {
  app.add_option(name, names, description)
      ->type_name(type)
      ->delimiter(',')
      ->expected(1)
      ->take_all();
}

}  // namespace

std::shared_ptr<AnalysisArguments> add_analysis_options(CLI::App& app) {
  auto arguments = std::make_shared<AnalysisArguments>();
  analysis::AnalyzeOptions& options = arguments->options;
  app.add_option(
         "--along", options.along,
         "Axis along which the bottleneck is followed, or several that advance together, as "
         "logic,memory (default: logic, else the first that varies)")
      ->type_name("AXIS,...");
  app.add_option("--where", options.where,
                 "Rows that take part, as \"tp <= 8 and memory == 'HBM4'\": sweeps/README.md has "
                 "the language")
      ->type_name("CONDITION");
  add_names(app, "--per", options.per,
            "Columns whose values have frontiers of their own (default: what is asked, as the "
            "model)",
            "COLUMN");
  app.add_option("--ranks", options.ranks,
                 "Ranks of the frontier that are listed: 1 the frontier, 2 also that of what is "
                 "left without it, ... (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(std::int32_t{1}, analysis::most_ranks));
  app.add_option("--threads", options.reading.threads, "Threads that read (default: one per core)")
      ->type_name("N")
      ->check(at_least(0));
  add_names(app, "--phase", options.phase,
            "The two axes of the phase diagram (default: that of --along and the next)",
            "AXIS,AXIS");
  app.add_flag("--hold", options.hold,
               "Hold the strategy that is best at the first value all along the axis");
  add_names(app, "--minimize", arguments->minimize,
            "Objectives of the frontier (default: those of the study)", "COLUMN");
  add_names(app, "--maximize", arguments->maximize, "Objectives of which more is better", "COLUMN");
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
