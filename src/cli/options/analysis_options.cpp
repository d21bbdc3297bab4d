#include "cli/options/analysis_options.hpp"

#include <fmt/core.h>

#include "cli/options/savings.hpp"
#include "cli/output/reading_line.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"
#include "store/versions/former_names.hpp"

namespace scalesweep::cli {
namespace {

std::string option_of(const space::ObjectiveWord& word) {
  return fmt::format("--{}", word.word);
}

}  // namespace

void add_objective_options(Command& command, ObjectiveArguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const space::ObjectiveWord& word = space::objective_words[i];
    command
        .option(option_of(word), arguments[i], "COLUMN,...",
                fmt::format("Objectives that are better when {} (default: those of the study)",
                            word.better))
        .list();
  }
}

std::vector<analysis::Objective> objectives_of(const ObjectiveArguments& arguments) {
  std::vector<analysis::Objective> objectives;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const std::string& column : arguments[i]) {
      objectives.push_back({store::column_now(column), space::objective_words[i].direction});
    }
  }
  return objectives;
}

std::shared_ptr<AnalysisArguments> add_analysis_options(Command& command, const char* threads) {
  auto arguments = std::make_shared<AnalysisArguments>();
  analysis::AnalyzeOptions& options = arguments->options;
  add_study_files(command, arguments->files);
  command.section("What is asked");
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
  command
      .option("--phase", options.phase, "AXIS,AXIS",
              "The two axes of the phase diagram (default: that of --along and the next)")
      .list();
  command.flag("--hold", options.hold,
               "Hold the strategy that is best at the first value all along the axis");
  add_objective_options(command, arguments->objectives);
  command.section("How");
  command.option("--threads", options.reading.threads, "N", threads).at_least(0);
  return arguments;
}

AskedStudy asked_study(const AnalysisArguments& arguments, const Streams& streams) {
  return {arguments.files, arguments.options.reading.threads, streams};
}

analysis::AnalysisResult analysed(const AnalysisArguments& arguments, const AskedStudy& study,
                                  const Streams& streams) {
  ReadingLine reading(streams);
  analysis::AnalyzeOptions options = arguments.options;
  options.objectives = objectives_of(arguments.objectives);
  options.reading.progress = reading.progress();
  options.savings = savings_in(study.file());
  analysis::AnalysisResult result =
      study.named([&] { return analysis::analyze(study.file(), options); });
  result.source.file = study.name();
  return result;
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
  add("--where", options.where.empty() ? "" : shell_quoted(options.where));
  add("--per", join(options.per, ","));
  add("--ranks", options.ranks > 1 ? fmt::format("{}", options.ranks) : "");
  add("--phase", join(options.phase, ","));
  for (std::size_t i = 0; i < arguments.objectives.size(); ++i) {
    add(option_of(space::objective_words[i]), join(arguments.objectives[i], ","));
  }
  return words + (options.hold ? " --hold" : "");
}

}  // namespace scalesweep::cli
