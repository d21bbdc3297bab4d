// scalesweep report FILE: the answers of a finished study as one HTML file.
#include "analysis/show/report.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/analysis_options.hpp"
#include "cli/options/command.hpp"
#include "cli/options/command_line.hpp"
#include "cli/report/explanations.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"
#include "store/read/study_parts.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string output;
  std::shared_ptr<AnalysisArguments> analysis;
};

// What decided the values of the study beside its spec, a file or folder by its name alone.
std::string run_option_words(const std::string& command, const std::string& environment) {
  const std::vector<std::string> words = shell_words(command);
  const std::string keep = option_value(words, "--keep");
  std::string catalog = option_value(words, "--catalog");
  for (const std::string& line : split(environment, '\n')) {
    const std::string variable = "SCALESWEEP_NODES=";
    if (catalog.empty() && line.starts_with(variable)) {
      catalog = line.substr(variable.size());
    }
  }
  const auto name_of = [](const std::string& place) {
    return shell_word((fs::path(place) / "").parent_path().filename().string());
  };
  std::string text = keep.empty() ? "" : " --keep " + shell_word(keep);
  text += catalog.empty() ? "" : " --catalog " + name_of(catalog);
  for (const std::string& overlay : option_values(words, "--catalog-add")) {
    text += " --catalog-add " + name_of(overlay);
  }
  return text;
}

// What is known of the run of a study.
struct Run {
  std::string spec_file;  // its name alone; "": not known
  std::string command;
  std::string environment;
};

Run run_of(const store::StudyPart& part) {
  const auto text = [&](const char* name) {
    const auto found = part.provenance.find(name);
    return found == part.provenance.end() ? std::string() : found->second;
  };
  return {fs::path(text("spec_file")).filename().string(), text("command"), text("environment")};
}

std::string run_command(const Run& run, const std::string& study) {
  return fmt::format("scalesweep run {} -o {}{}",
                     shell_word(run.spec_file.empty() ? "spec.toml" : run.spec_file),
                     shell_word(study), run_option_words(run.command, run.environment));
}

// Each after a blank.
std::string files_of(const std::vector<store::StudyPart>& parts) {
  std::string files;
  for (const store::StudyPart& part : parts) {
    files += " " + shell_word(part.file);
  }
  return files;
}

std::string merge_command(const std::string& files, const std::string& name) {
  return fmt::format("scalesweep merge --union{} -o {}", files, shell_word(name));
}

// What explains a point, without its id. Of several studies that were put together for this report
// alone, a file of them must be made first.
std::string explain_command(const AskedStudy& study, const std::vector<store::StudyPart>& parts) {
  const std::string name = study.name().filename().string();
  const std::string explain = fmt::format("scalesweep explain {} --point", shell_word(name));
  return study.is_of_several() ? merge_command(files_of(parts), name) + " && " + explain : explain;
}

// What a reader types to get the same report, with files by their names alone: the study may lie
// anywhere there. Options are repeated as they were given, all but the name of the output.
std::vector<std::string> commands_of(const ReportArguments& arguments, const AskedStudy& study,
                                     const std::vector<store::StudyPart>& parts,
                                     const analysis::SourceTexts& texts) {
  const std::string name = study.name().filename().string();
  const std::string options = option_words(*arguments.analysis);
  if (parts.empty()) {
    const auto spec_file = texts.provenance.find("spec_file");
    return {run_command({spec_file == texts.provenance.end() ? "" : spec_file->second,
                         texts.command, texts.environment},
                        name),
            fmt::format("scalesweep report {}{}", shell_word(name), options)};
  }
  std::vector<std::string> commands;
  for (const store::StudyPart& part : parts) {
    commands.push_back(run_command(run_of(part), part.file));
  }
  const std::string files = files_of(parts);
  if (study.is_of_several()) {
    commands.push_back(fmt::format("scalesweep report{}{}", files, options));
  } else {
    commands.push_back(merge_command(files, name));
    commands.push_back(fmt::format("scalesweep report {}{}", shell_word(name), options));
  }
  return commands;
}

ExitCode report_file(const ReportArguments& arguments, const Streams& streams) {
  const AskedStudy study = asked_study(*arguments.analysis, streams);
  const analysis::AnalysisResult result = analysed(*arguments.analysis, study, streams);
  const fs::path file = arguments.output.empty() ? analysis::default_report(study.name())
                                                 : fs::path(arguments.output);
  const analysis::SourceTexts texts = analysis::source_texts(study.file());
  // Only finished studies are put together.
  const bool is_finished = !result.source.sha256.empty();
  const std::vector<store::StudyPart> parts =
      is_finished ? store::parts_of(store::StudyReader(study.file()))
                  : std::vector<store::StudyPart>{};
  const Explanations explanations =
      explanations_of(result, study.file(), explain_command(study, parts));
  if (!explanations.problem.empty()) {
    const bool more = !explanations.details.empty() && explanations.details != explanations.problem;
    fmt::print(streams.err, "note: the report explains no points: {}{}\n", explanations.problem,
               more ? fmt::format(": {}", trim(explanations.details)) : "");
  }
  const std::string html = analysis::report_html(
      result, texts, commands_of(arguments, study, parts, texts), explanations.json);
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
