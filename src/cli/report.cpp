// scalesweep report FILE: the answers of a finished study as one HTML file.
#include "analysis/report.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "analysis/analyze.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string file;
  std::string output;
  std::vector<std::string> minimize;
  std::vector<std::string> maximize;
  analysis::AnalyzeOptions options;  // all but its objectives
};

analysis::AnalyzeOptions options_of(const ReportArguments& arguments) {
  analysis::AnalyzeOptions options = arguments.options;
  for (const std::string& column : arguments.minimize) {
    options.objectives.push_back({column, analysis::Direction::minimize});
  }
  for (const std::string& column : arguments.maximize) {
    options.objectives.push_back({column, analysis::Direction::maximize});
  }
  return options;
}

// As a shell reads it: whole, whatever is in it.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

// What a reader types to get the same report, with files by their names alone: the study may lie
// anywhere there. Options are repeated as they were given, all but the name of the output.
std::vector<std::string> commands_of(const ReportArguments& arguments,
                                     const analysis::SourceTexts& texts) {
  const std::string study = fs::path(arguments.file).filename().string();
  const auto spec_file = texts.provenance.find("spec_file");
  const std::string spec = spec_file == texts.provenance.end() ? "spec.toml" : spec_file->second;
  std::string report = "scalesweep report " + study;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      report += fmt::format(" {} {}", option, value);
    }
  };
  const analysis::AnalyzeOptions& options = arguments.options;
  add("--along", options.along);
  add("--where", options.where.empty() ? "" : quoted(options.where));
  add("--per", join(options.per, ","));
  add("--phase", join(options.phase, ","));
  add("--minimize", join(arguments.minimize, ","));
  add("--maximize", join(arguments.maximize, ","));
  report += options.hold ? " --hold" : "";
  return {fmt::format("scalesweep run {} -o {}", spec, study), report};
}

ExitCode report_file(const ReportArguments& arguments, const Streams& streams) {
  const analysis::AnalysisResult result = analysis::analyze(arguments.file, options_of(arguments));
  const fs::path file = arguments.output.empty() ? analysis::default_report(arguments.file)
                                                 : fs::path(arguments.output);
  const analysis::SourceTexts texts = analysis::source_texts(arguments.file);
  const std::string html = analysis::report_html(result, texts, commands_of(arguments, texts));
  analysis::write_report(html, file);
  fmt::print(streams.out, "{}\n", file.string());
  return ExitCode::ok;
}

void add_columns(CLI::App& app, const std::string& name, std::vector<std::string>& columns,
                 const std::string& description) {
  app.add_option(name, columns, description)
      ->type_name("COLUMN")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
}

// The options of analyze that choose what is analysed.
void add_analysis_options(CLI::App& app, ReportArguments& arguments) {
  app.add_option(
         "--along", arguments.options.along,
         "Axis along which the bottleneck is followed, or several that advance together, as "
         "logic,memory (default: logic, else the first that varies)")
      ->type_name("AXIS,...");
  app.add_option("--where", arguments.options.where,
                 "Rows that take part, in the language of the filters of a spec")
      ->type_name("CONDITION");
  add_columns(app, "--per", arguments.options.per,
              "Columns whose values have frontiers of their own (default: what is asked, as the "
              "model)");
  app.add_option("--threads", arguments.options.threads,
                 "Threads that read (default: one per core)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--phase", arguments.options.phase,
                 "The two axes of the phase diagram (default: that of --along and the next)")
      ->type_name("AXIS,AXIS")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_flag("--hold", arguments.options.hold,
               "Hold the strategy that is best at the first value all along the axis");
  add_columns(app, "--minimize", arguments.minimize,
              "Objectives of the frontier (default: those of the study)");
  add_columns(app, "--maximize", arguments.maximize, "Objectives of which more is better");
}

}  // namespace

Command add_report(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "report", "One HTML file of a study: frontier, bottlenecks, tables; opens offline");
  auto arguments = std::make_shared<ReportArguments>();
  CLI::Option* file =
      app->add_option("file", arguments->file, "A finished study, an HDF5 file")->type_name("FILE");
  app->add_option("-o,--output", arguments->output,
                  "The report (default: NAME.html beside NAME.h5)")
      ->type_name("HTML");
  add_analysis_options(*app, *arguments);
  auto body = [arguments](const Streams& streams) { return report_file(*arguments, streams); };
  return {app, {required_operand(file, "the study", "report FILE")}, body};
}

}  // namespace scalesweep::cli
