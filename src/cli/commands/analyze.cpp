// scalesweep analyze FILE: frontier, bottlenecks and figures of a finished study.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/findings/refine.hpp"
#include "analysis/show/data_text.hpp"
#include "analysis/show/figures.hpp"
#include "analysis/show/result_files.hpp"
#include "analysis/show/text_report.hpp"
#include "cli/options/analysis_options.hpp"
#include "cli/options/options.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct AnalyzeArguments {
  std::string folder;
  std::shared_ptr<AnalysisArguments> analysis;
  std::string refine;
  std::vector<std::string> figures;  // by name; none for those by default
  bool no_figures = false;
  bool spreadsheet = false;
};

// The spec of a follow-up study; a file that is there stays as it is.
void write_refined(const AnalyzeArguments& arguments, const AskedStudy& study,
                   const analysis::AnalysisResult& result, const Streams& streams) {
  std::error_code unreadable;
  if (fs::exists(arguments.refine, unreadable)) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{} is there already; move it or choose another name for --refine",
                              arguments.refine));
  }
  const analysis::RefinedSpec refined =
      study.named([&] { return analysis::refine_spec(store::StudyReader(study.file()), result); });
  write_file_durably(arguments.refine, refined.text);
  tell(streams, fmt::format("spec     {} (new on {}: {})\n", arguments.refine, result.along,
                            join(refined.added, ", ")));
}

// "figures  FOLDER/quick.*.png, .svg, .pdf: shares, phases": what was written, without `prefix` and
// endings, in a line or two; nothing where nothing was.
std::string written(const std::string& what, const std::vector<fs::path>& files,
                    const std::string& prefix) {
  std::vector<std::string> names;
  std::vector<std::string> endings;
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    analysis::add_once(names, stem.starts_with(prefix) ? stem.substr(prefix.size()) : stem);
    analysis::add_once(endings, file.extension().string());
  }
  if (files.empty()) {
    return "";
  }
  constexpr std::size_t most = 16;
  return fmt::format("{:<8} {}*{}: {}\n", what, (files.front().parent_path() / prefix).string(),
                     join(endings, ", "), join_first(most, names));
}

void print_result(const analysis::AnalysisResult& result, Format format, CsvTexts texts,
                  const Streams& streams) {
  const RawOutput raw(streams.out, format == Format::csv);
  fmt::print(streams.out, "{}",
             format == Format::csv
                 ? analysis::csv_text(result, texts)
                 : analysis::format_analysis(result, format, text_width(streams)));
  streams.out.flush();
}

ExitCode analyze_file(const AnalyzeArguments& arguments, Format format, const Streams& streams) {
  if (arguments.no_figures && !arguments.figures.empty()) {
    throw Failure(ExitCode::usage, "--figures names figures, --no-figures draws none; give one");
  }
  analysis::check_figures(arguments.figures);
  const AskedStudy study = asked_study(*arguments.analysis, streams);
  const analysis::AnalysisResult result = analysed(*arguments.analysis, study, streams);
  const fs::path folder = arguments.folder.empty() ? analysis::default_folder(study.name())
                                                   : fs::path(arguments.folder);
  const CsvTexts texts = arguments.spreadsheet ? CsvTexts::spreadsheet : CsvTexts::plain;
  const analysis::OutputFiles files = analysis::write_analysis(result, folder, texts);
  print_result(result, format, texts, streams);
  tell(streams, fmt::format("tables   {}\n", files.tables.string()));
  const std::string tables = files.tables.filename().string();
  const std::string prefix = tables.substr(0, tables.find(".analysis.h5")) + ".";
  tell(streams, written("csv", files.csv, prefix));
  if (!arguments.refine.empty()) {
    write_refined(arguments, study, result, streams);
  }
  if (arguments.no_figures) {
    return ExitCode::ok;
  }
  std::error_code unreadable;
  const analysis::FigureReport figures = analysis::draw_figures(
      files.tables, files.folder, fs::read_symlink("/proc/self/exe", unreadable),
      arguments.analysis->options.reading.threads, arguments.figures);
  tell(streams, written("figures", figures.files, prefix));
  for (const std::string& note : figures.notes) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  if (!figures.problem.empty()) {
    tell(streams, fmt::format("scalesweep: warning: no figures: {}\n", figures.problem));
  }
  return ExitCode::ok;
}

}  // namespace

Command analyze_command() {
  Command command("analyze", "Pareto frontier, bottlenecks, tables and figures of a study");
  auto arguments = std::make_shared<AnalyzeArguments>();
  command.section("What is written");
  command.option("-o,--output", arguments->folder, "FOLDER",
                 "Folder for tables and figures (default: NAME-analysis beside NAME.h5)");
  arguments->analysis = add_analysis_options(
      command, "Threads that read, and processes that draw (default: one per core)");
  command.section("What is written");
  command.option("--refine", arguments->refine, "SPEC",
                 "Write a spec with more values where the bottleneck moves, for 'run'");
  command
      .option("--figures", arguments->figures, "NAME,...",
              fmt::format("Figures to draw (default: {}); by name also {}, or {}",
                          join(analysis::names_of_figures(true), ", "),
                          join(analysis::names_of_figures(false), ", "), analysis::all_figures))
      .list();
  command.choices("--figures", analysis::known_figures());
  command.flag("--no-figures", arguments->no_figures, "Tables only");
  command.flag("--spreadsheet", arguments->spreadsheet,
               "In CSV: an apostrophe before names that a spreadsheet would take for a formula");
  const auto format = add_format_option(command, true);
  command.body = [arguments, format](const Streams& streams) {
    return analyze_file(*arguments, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
