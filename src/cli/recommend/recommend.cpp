// scalesweep recommend --model NAME --device NAME --devices N --train | --serve ...: a question in
// one line, its study made and run, and the answer told.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <vector>

#include "analysis/words/text_table.hpp"
#include "cli/launch/launch.hpp"
#include "cli/options/values/run_values.hpp"
#include "cli/output/terminal.hpp"
#include "cli/recommend/answer/answer.hpp"
#include "cli/recommend/answer/answer_show.hpp"
#include "cli/recommend/curve/curve_show.hpp"
#include "cli/recommend/devices/counts.hpp"
#include "cli/recommend/measure_next/measure_next.hpp"
#include "cli/recommend/run_made.hpp"
#include "cli/recommend/sources.hpp"
#include "cli/recommend/spec/make_spec.hpp"
#include "cli/recommend/would_fit.hpp"
#include "core/documents/shell.hpp"
#include "core/host/files.hpp"
#include "core/host/temporary_folder.hpp"
#include "core/text.hpp"
#include "deploy/deploy.hpp"
#include "deploy/parts/documents.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

// Shown where nobody says how many.
constexpr std::int64_t usual_layouts = 5;
constexpr std::int64_t usual_points = 12;  // of a curve

// Mistakes in terms of the options that they come from.
void print_mistakes(const Diagnostics& diagnostics, const MadeSpec& spec, const fs::path& file,
                    const Streams& streams) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const bool is_made = diagnostic.position.file == file.string();
    const std::string option = is_made ? spec.option_at(diagnostic.position.line) : "";
    const std::string kind = diagnostic.severity == Severity::error ? "error" : "warning";
    if (is_made) {
      tell(streams, fmt::format("scalesweep: {}: {}{}{}\n", kind, option,
                                option.empty() ? "" : ": ", diagnostic.message));
    } else {
      tell(streams, fmt::format("{}\n", to_string(diagnostic)));
    }
  }
}

bool has_no_format(const std::map<std::string, std::int64_t>& counts, std::int64_t points) {
  const auto found =
      counts.find(study::status_names()[study::index_of(study::Status::unsupported_precision)]);
  return found != counts.end() && found->second == points;
}

// What to run for the proposed layout of each answer: by its own framework where that can, else by
// all that can; and why its own cannot.
void add_launch(const study::Study& study, Answers& answers, Preface& preface) {
  for (Answer& answer : answers.answers) {
    if (answer.layouts.empty()) {
      continue;
    }
    const study::Point point = study.point_at(answer.layouts.front().id);
    if (const std::string& device = point.system.system->device.name;
        !deploy::any_runs_on(study.kind(), device)) {
      preface.notes.push_back("what to run on " + device + " is not known");
      continue;
    }
    std::vector<std::string> targets = deploy::targets_of(study.kind());
    const std::string framework = deploy::framework_of(study, point);
    if (const auto own = deploy::target_of(study.kind(), framework)) {
      if (const std::string problem =
              deploy::version_problem(study.kind(), *own, deploy::asked_framework(study, point));
          !problem.empty()) {
        preface.notes.push_back(problem);
        continue;
      }
      const deploy::Deployment made = deploy::deploy(study, point, *own);
      std::erase(targets, *own);
      if (made.can_run()) {
        answer.launch[*own] = deploy::script(made);
        targets.clear();
      } else {
        preface.notes.push_back(fmt::format(
            "{} cannot run {}: {}", *own, answer.layouts.front().words, join(made.problems, "; ")));
      }
    }
    for (const std::string& target : targets) {
      const deploy::Deployment made = deploy::deploy(study, point, target);
      if (made.can_run()) {
        answer.launch[target] = deploy::script(made);
      }
    }
  }
}

// Of a service of which only the most that it can do is asked.
bool is_unlimited(const Question& question) {
  return question.aim == Aim::serving && !question.curve && question.request_rate.empty() &&
         question.concurrency.empty() &&
         std::all_of(question.limits.begin(), question.limits.end(),
                     [](const LatencyLimit& limit) { return limit.value.empty(); });
}

// The study of the made spec; nothing, and every mistake said, where it has one. Keeps the spec
// where somebody asked for it.
std::optional<study::Study> load_made(const MadeSpec& made, const RecommendArguments& arguments,
                                      const Sources& sources, const fs::path& folder,
                                      Preface& preface, const Streams& streams) {
  const fs::path file = folder / "recommend.toml";
  write_file_durably(file, made.text);
  Diagnostics diagnostics;
  std::optional<study::Study> study = study::Study::load(file, sources.places, diagnostics);
  print_mistakes(diagnostics, made, file, streams);
  if (!study) {
    tell(streams,
         fmt::format("scalesweep: {} mistake{}; nothing was run\n", diagnostics.error_count(),
                     diagnostics.error_count() == 1 ? "" : "s"));
    return std::nullopt;
  }
  if (!arguments.save_spec.empty()) {
    write_file_durably(arguments.save_spec, made.text);
    preface.notes.push_back(fmt::format("'scalesweep run {} -o OUT.h5' gives the same",
                                        shell_word(arguments.save_spec)));
  }
  preface.title = study->spec().title;
  preface.assumed = made.assumed;
  preface.run_tokens = arguments.question.run_tokens;
  if (is_unlimited(arguments.question)) {
    preface.notes.push_back("--curve shows tokens/s a device over tokens/s a user");
  }
  return study;
}

void print_answers(const Preface& preface, const Answers& answers, Format format,
                   const Streams& streams) {
  if (format == Format::json) {
    fmt::print(streams.out, "{}\n", answers_json(preface, answers).dump(2));
    return;
  }
  fmt::print(streams.out, "{}", answers_text(preface, answers, text_width(streams)));
}

// The points of --measured; nothing, and every mistake said, where it has one.
std::optional<std::vector<MeasuredPoint>> measured_points(const Question& question,
                                                          const catalog::Catalog& catalog,
                                                          const Streams& streams) {
  if (question.measured.empty()) {
    return std::vector<MeasuredPoint>();
  }
  Diagnostics diagnostics;
  auto points = read_measured(question.measured, catalog, diagnostics);
  tell(streams, diagnostics.text());
  return points;
}

void tell_curve(const Preface& preface, const CurveAnswer& answer,
                const RecommendArguments& arguments, Format format, const Streams& streams) {
  if (format == Format::json) {
    fmt::print(streams.out, "{}\n", curves_json(preface, answer).dump(2));
  } else {
    const auto most = static_cast<std::size_t>(arguments.top.value_or(usual_points));
    fmt::print(streams.out, "{}", curves_text(preface, answer, most, text_width(streams)));
  }
  const std::string& figure = arguments.question.figure;
  if (figure.empty()) {
    return;
  }
  if (answer.curves.curves.empty()) {
    tell(streams,
         fmt::format("scalesweep: warning: {} is not written: the curve has no point\n", figure));
    return;
  }
  write_file_durably(figure, curves_svg(preface.title, answer));
  tell(streams, fmt::format("{} written\n", figure));
}

std::string joined_shortage(const std::string& shortage, const std::string& otherwise) {
  return shortage + (shortage.empty() || otherwise.empty() ? "" : "; ") + otherwise;
}

ExitCode recommend(RecommendArguments arguments, const CatalogChoice& catalog, Format format,
                   const std::string& line, const Streams& streams) {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  Preface preface;
  const auto sources = find_sources(arguments, catalog, folder.path(), preface, streams);
  if (!sources) {
    return ExitCode::bad_input;
  }
  const Question& question = arguments.question;
  auto measured = measured_points(question, sources->catalog, streams);
  if (!measured) {
    return ExitCode::bad_input;
  }
  const std::vector<DeviceCounts> tried = counts_of(question, sources->catalog, preface.notes);
  const MadeSpec made = make_spec(question, tried, sources->catalog);
  std::optional<study::Study> study =
      load_made(made, arguments, *sources, folder.path(), preface, streams);
  if (!study) {
    return ExitCode::bad_input;
  }
  if (!catalog.added.empty()) {  // a config.json is said as such
    tell(streams, overlay_note(*study));
  }
  const fs::path output =
      arguments.output.empty() ? folder.path() / "recommend.h5" : fs::path(arguments.output);
  const auto start = Clock::now();
  run_study_into(*study, output, line, streams);
  preface.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const store::StudyReader reader(output);
  const auto counts = reader.counts();
  const auto filtered = counts.find("filtered");
  preface.points = reader.points() - (filtered == counts.end() ? 0 : filtered->second);
  preface.feasible = counts.at("ok");
  // More devices do not help where none has the format.
  const bool lacks_devices = preface.feasible == 0 && !has_no_format(counts, preface.points);
  const std::string otherwise =
      lacks_devices ? would_fit(question, *sources, folder.path(), line, streams) : "";
  if (question.curve) {
    CurveAnswer answer = find_curve_answer(reader, *study);
    answer.shortage = joined_shortage(answer.shortage, otherwise);
    answer.measured = std::move(*measured);
    preface.tried = "points";
    tell_curve(preface, answer, arguments, format, streams);
    return ExitCode::ok;
  }
  Answers answers =
      find_answers(reader, *study,
                   {.most = static_cast<std::size_t>(arguments.top.value_or(usual_layouts)),
                    .per_count = question.budget.empty() && question.counts.size() > 1,
                    .asked_devices = tried.front().asked});
  answers.shortage = joined_shortage(answers.shortage, otherwise);
  add_launch(*study, answers, preface);
  if (arguments.what_to_measure) {
    add_measurements(reader, *study, answers);
  }
  print_answers(preface, answers, format, streams);
  return ExitCode::ok;
}

// Throws Failure(cannot_create).
void check_is_new(const std::string& option, const std::string& file) {
  if (fs::exists(file)) {
    throw Failure(
        ExitCode::cannot_create,
        fmt::format("{} is there already; move it or choose another name for {}", file, option));
  }
}

// Throws Failure(usage) and Failure(cannot_create).
void check_question(const RecommendArguments& arguments) {
  const Question& question = arguments.question;
  const std::string problem = problem_of(question, arguments.train, arguments.serve);
  if (!problem.empty()) {
    throw Failure(ExitCode::usage, "recommend: " + problem);
  }
  if (arguments.what_to_measure && question.curve) {
    throw Failure(
        ExitCode::usage,
        "recommend: --what-to-measure is about one proposed layout and --curve has one at "
        "each rate; leave one of the two out");
  }
  for (const std::string& file : {arguments.output, arguments.save_spec, question.figure}) {
    if (!file.empty()) {
      check_place(file);
    }
  }
}

}  // namespace

Command recommend_command(const std::string& line) {
  Command command("recommend", "The best layout of a model on so many devices, in one question");
  auto arguments = std::make_shared<RecommendArguments>();
  add_options(command, *arguments);
  const auto catalog = add_catalog_option(command);
  const auto format = add_format_option(command, false);
  command.body = [arguments, catalog, format, line](const Streams& streams) {
    read_tokens(*arguments);
    arguments->question.aim = arguments->serve ? Aim::serving : Aim::training;
    check_question(*arguments);
    if (launched_rank() > 0) {
      return ExitCode::ok;  // one process does it, with a thread for every core
    }
    check_is_new("--save-spec", arguments->save_spec);
    check_is_new("--figure", arguments->question.figure);
    return recommend(*arguments, *catalog, *format, line, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
