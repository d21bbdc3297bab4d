// scalesweep analyze FILE: frontier, bottlenecks and figures of a finished study.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "analysis/analyze.hpp"
#include "analysis/figures.hpp"
#include "analysis/output.hpp"
#include "analysis/refine.hpp"
#include "analysis/text_report.hpp"
#include "cli/options.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "store/reader.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct AnalyzeArguments {
  std::string file;
  std::string folder;
  std::string along;
  std::vector<std::string> minimize;
  std::vector<std::string> maximize;
  std::string where;
  std::vector<std::string> per;
  int threads = 0;
  std::vector<std::string> phase;
  bool hold = false;
  std::string refine;
  bool no_figures = false;
};

analysis::Format analysis_format(Format format) {
  return format == Format::json  ? analysis::Format::json
         : format == Format::csv ? analysis::Format::csv
                                 : analysis::Format::text;
}

analysis::AnalyzeOptions options_of(const AnalyzeArguments& arguments) {
  analysis::AnalyzeOptions options;
  options.along = arguments.along;
  options.where = arguments.where;
  options.per = arguments.per;
  options.threads = arguments.threads;
  options.phase = arguments.phase;
  options.hold = arguments.hold;
  for (const std::string& column : arguments.minimize) {
    options.objectives.push_back({column, analysis::Direction::minimize});
  }
  for (const std::string& column : arguments.maximize) {
    options.objectives.push_back({column, analysis::Direction::maximize});
  }
  return options;
}

// The spec of a follow-up study; a file that is there stays as it is.
void write_refined(const AnalyzeArguments& arguments, const analysis::AnalysisResult& result,
                   const Streams& streams) {
  std::error_code unreadable;
  if (fs::exists(arguments.refine, unreadable)) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{} is there already; move it or choose another name for --refine",
                              arguments.refine));
  }
  const analysis::RefinedSpec refined =
      analysis::refine_spec(store::StudyReader(arguments.file), result);
  write_file_durably(arguments.refine, refined.text);
  fmt::print(streams.err, "spec     {} (new on {}: {})\n", arguments.refine, result.along,
             join(refined.added, ", "));
}

ExitCode analyze_file(const AnalyzeArguments& arguments, Format format, const Streams& streams) {
  const analysis::AnalysisResult result = analysis::analyze(arguments.file, options_of(arguments));
  const fs::path folder = arguments.folder.empty() ? analysis::default_folder(arguments.file)
                                                   : fs::path(arguments.folder);
  const analysis::OutputFiles files = analysis::write_analysis(result, folder);
  fmt::print(streams.out, "{}", analysis::format_analysis(result, analysis_format(format)));
  streams.out.flush();
  fmt::print(streams.err, "tables   {}\n", files.tables.string());
  for (const fs::path& csv : files.csv) {
    fmt::print(streams.err, "table    {}\n", csv.string());
  }
  if (!arguments.refine.empty()) {
    write_refined(arguments, result, streams);
  }
  if (arguments.no_figures) {
    return ExitCode::ok;
  }
  std::error_code unreadable;
  const analysis::FigureReport figures = analysis::draw_figures(
      files.tables, files.folder, fs::read_symlink("/proc/self/exe", unreadable));
  for (const fs::path& figure : figures.files) {
    fmt::print(streams.err, "figure   {}\n", figure.string());
  }
  for (const std::string& note : figures.notes) {
    fmt::print(streams.err, "note     {}\n", note);
  }
  if (!figures.problem.empty()) {
    fmt::print(streams.err, "scalesweep: warning: no figures: {}\n", figures.problem);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_analyze(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "analyze", "Pareto frontier, bottlenecks, tables and figures of a study");
  auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::Option* file =
      app->add_option("file", arguments->file, "A finished study, an HDF5 file")->type_name("FILE");
  app->add_option("-o,--output", arguments->folder,
                  "Folder for tables and figures (default: NAME-analysis beside NAME.h5)")
      ->type_name("FOLDER");
  app->add_option("--along", arguments->along,
                  "Axis along which the bottleneck is followed, or several that advance together, "
                  "as logic,memory (default: logic, else the first that varies)")
      ->type_name("AXIS,...");
  app->add_option("--where", arguments->where,
                  "Rows that take part, in the language of the filters of a spec")
      ->type_name("CONDITION");
  app->add_option("--per", arguments->per,
                  "Columns whose values have frontiers of their own (default: what is asked, as "
                  "the model)")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--threads", arguments->threads, "Threads that read (default: one per core)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--phase", arguments->phase,
                  "The two axes of the phase diagram (default: that of --along and the next)")
      ->type_name("AXIS,AXIS")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_flag("--hold", arguments->hold,
                "Hold the strategy that is best at the first value all along the axis");
  app->add_option("--minimize", arguments->minimize,
                  "Objectives of the frontier (default: those of the study)")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--maximize", arguments->maximize, "Objectives of which more is better")
      ->type_name("COLUMN")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app->add_option("--refine", arguments->refine,
                  "Write a spec with more values where the bottleneck moves, for 'run'")
      ->type_name("SPEC");
  app->add_flag("--no-figures", arguments->no_figures, "Tables only");
  const auto format = add_format_option(*app, true);
  auto body = [arguments, format](const Streams& streams) {
    return analyze_file(*arguments, *format, streams);
  };
  return {app, {required_operand(file, "the study", "analyze FILE")}, body};
}

}  // namespace scalesweep::cli
