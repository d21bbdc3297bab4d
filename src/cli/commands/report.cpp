// scalesweep report FILE: the answers of a finished study as one HTML file.
#include "analysis/show/report.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/analysis_options.hpp"
#include "cli/options/command.hpp"
#include "cli/options/command_line.hpp"
#include "cli/report/explanations.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string output;
  std::shared_ptr<AnalysisArguments> analysis;
};

// What decided the values of the study beside its spec, a folder by its name alone.
std::string run_option_words(const analysis::SourceTexts& texts) {
  const std::vector<std::string> words = words_of_line(texts.command);
  const std::string keep = option_value(words, "--keep");
  std::string catalog = option_value(words, "--catalog");
  for (const std::string& line : split(texts.environment, '\n')) {
    const std::string variable = "SCALESWEEP_NODES=";
    if (catalog.empty() && line.starts_with(variable)) {
      catalog = line.substr(variable.size());
    }
  }
  const fs::path folder = (fs::path(catalog) / "").parent_path().filename();
  return (keep.empty() ? "" : " --keep " + quoted_word(keep)) +
         (catalog.empty() ? "" : " --catalog " + quoted_word(folder.string()));
}

// What a reader types to get the same report, with files by their names alone: the study may lie
// anywhere there. Options are repeated as they were given, all but the name of the output.
std::vector<std::string> commands_of(const ReportArguments& arguments,
                                     const analysis::SourceTexts& texts) {
  const std::string study = fs::path(arguments.analysis->file).filename().string();
  const auto spec_file = texts.provenance.find("spec_file");
  const std::string spec = spec_file == texts.provenance.end() ? "spec.toml" : spec_file->second;
  return {fmt::format("scalesweep run {} -o {}{}", spec, study, run_option_words(texts)),
          fmt::format("scalesweep report {}{}", study, option_words(*arguments.analysis))};
}

ExitCode report_file(const ReportArguments& arguments, const Streams& streams) {
  const analysis::AnalysisResult result = analysed(*arguments.analysis, streams);
  const fs::path file = arguments.output.empty()
                            ? analysis::default_report(arguments.analysis->file)
                            : fs::path(arguments.output);
  const analysis::SourceTexts texts = analysis::source_texts(arguments.analysis->file);
  const Explanations explanations = explanations_of(result);
  if (!explanations.problem.empty()) {
    const bool more = !explanations.details.empty() && explanations.details != explanations.problem;
    fmt::print(streams.err, "note: the report explains no points: {}{}\n", explanations.problem,
               more ? fmt::format(": {}", trim(explanations.details)) : "");
  }
  const std::string html =
      analysis::report_html(result, texts, commands_of(arguments, texts), explanations.json);
  analysis::write_report(html, file);
  fmt::print(streams.out, "{}\n", file.string());
  return ExitCode::ok;
}

}  // namespace

Command report_command() {
  Command command("report",
                  "One HTML file of a study: frontier, bottlenecks, tables; opens offline");
  auto arguments = std::make_shared<ReportArguments>();
  command.section("What is written");
  command.option("-o,--output", arguments->output, "HTML",
                 "The report (default: NAME.html beside NAME.h5)");
  arguments->analysis = add_analysis_options(command);
  arguments->analysis->options.for_filters = true;
  command.body = [arguments](const Streams& streams) { return report_file(*arguments, streams); };
  return command;
}

}  // namespace scalesweep::cli
