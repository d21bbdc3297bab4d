// scalesweep recommend --model NAME --device NAME --devices N --train | --serve ...: a question in
// one line, its study made and run, and the answer told.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <vector>

#include "analysis/words/text_table.hpp"
#include "catalog/import/import_model.hpp"
#include "cli/catalog/import_model.hpp"
#include "cli/launch/launch.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values/run_values.hpp"
#include "cli/output/terminal.hpp"
#include "cli/recommend/answer/answer.hpp"
#include "cli/recommend/answer/answer_show.hpp"
#include "cli/recommend/assumptions.hpp"
#include "cli/recommend/budget.hpp"
#include "cli/recommend/curve/curve_show.hpp"
#include "cli/recommend/make_spec.hpp"
#include "core/documents/shell.hpp"
#include "core/host/files.hpp"
#include "core/host/parallel.hpp"
#include "core/host/temporary_folder.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "deploy/deploy.hpp"
#include "deploy/parts/documents.hpp"
#include "engine/run_threads.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

// Where nothing fits, twice as many devices, four times, ... are tried.
constexpr std::int64_t most_times_more = 64;

// Shown where nobody says how many.
constexpr std::int64_t usual_layouts = 5;
constexpr std::int64_t usual_points = 12;  // of a curve

struct RecommendArguments {
  Question question;
  bool train = false;
  bool serve = false;
  std::string batch_tokens;
  std::string run_tokens;
  std::optional<std::int64_t> top;
  std::string output;
  std::string save_spec;
};

// What is looked up: the catalog, with the model of a config.json beside it.
struct Sources {
  catalog::Places places;
  catalog::Catalog catalog;
};

// A file, or a folder that is no name of the catalog.
bool is_config(const std::string& model, const catalog::Catalog& catalog) {
  return fs::path(model).extension() == ".json" || fs::is_regular_file(model) ||
         (fs::is_regular_file(config_of(model)) && !catalog.has(catalog::Section::models, model));
}

// "meta-llama/Llama-3.1-70B-Instruct": of a name as model cards have it the one that the catalog
// knows, without its owner and without what was trained last. Nothing where there is none.
std::optional<std::string> known_model(const std::string& written,
                                       const catalog::Catalog& catalog) {
  constexpr std::array<std::string_view, 5> endings = {"-hf", "-instruct", "-chat", "-base", "-it"};
  std::string name = written.substr(written.rfind('/') + 1);
  const auto meant = [&] { return catalog.meant(catalog::Section::models, name); };
  for (const std::string_view ending : endings) {
    const std::size_t rest = name.size() - std::min(name.size(), ending.size());
    if (meant().empty() && same_but_for_case(std::string_view(name).substr(rest), ending)) {
      name.resize(rest);
    }
  }
  return meant().size() == 1 ? std::optional(meant().front()) : std::nullopt;
}

// The model of a config.json as an entry of a catalog in `folder`; its name. Nothing where it
// cannot be read.
std::optional<std::string> import_into(const fs::path& folder, const std::string& config,
                                       const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  auto imported = imported_model(config, "", diagnostics);
  if (!imported) {
    return std::nullopt;
  }
  if (catalog.has(catalog::Section::models, imported->model.name)) {
    imported->model.name += "-config";
  }
  fs::create_directory(folder);
  write_file_durably(folder / "imported.toml", catalog::catalog_text(*imported));
  return imported->model.name;
}

// Reads the catalog and replaces a config.json by the name of its model. Nothing, and every mistake
// said, where either cannot be read.
std::optional<Sources> find_sources(RecommendArguments& arguments, const CatalogChoice& catalog,
                                    const fs::path& folder, Preface& preface,
                                    const Streams& streams) {
  Diagnostics diagnostics;
  catalog::Places places = find_catalog(catalog);
  std::optional<catalog::Catalog> loaded = catalog::Catalog::load(places, diagnostics);
  Question& question = arguments.question;
  if (loaded && is_config(question.model, *loaded)) {
    const auto name = import_into(folder / "models", question.model, *loaded, diagnostics);
    loaded.reset();
    if (name) {
      preface.notes.push_back(fmt::format(
          "{} is '{}' here{}", question.model, *name,
          arguments.save_spec.empty()
              ? ""
              : "; the saved spec wants it in the catalog: 'scalesweep catalog import'"));
      question.model = *name;
      places.overlays.push_back(folder / "models");
      loaded = catalog::Catalog::load(places, diagnostics);
    }
  }
  tell(streams, diagnostics.text());
  if (!loaded) {
    return std::nullopt;
  }
  if (loaded->meant(catalog::Section::models, question.model).empty()) {
    if (const auto known = known_model(question.model, *loaded)) {
      preface.notes.push_back(fmt::format("{} is '{}' here", question.model, *known));
      question.model = *known;
    }
  }
  return Sources{std::move(places), std::move(*loaded)};
}

// Of a name that the catalog does not have, none: checking the spec says so.
std::vector<DeviceCounts> counts_of(const Question& question, const catalog::Catalog& catalog,
                                    Preface& preface) {
  std::vector<DeviceCounts> counts;
  for (const std::string& device : question.devices) {
    const std::vector<std::string> names = catalog.meant(catalog::Section::devices, device);
    const bool is_known =
        names.size() == 1 &&
        (question.network.empty() || catalog.has(catalog::Section::scale_out, question.network));
    if (question.budget.empty() || !is_known) {
      counts.push_back(
          {device, question.counts.empty() ? std::vector<std::int64_t>{8} : question.counts});
      continue;
    }
    Affordable found =
        affordable(parse_budget(question.budget), names.front(), question.network, catalog);
    preface.notes.push_back(found.words);
    counts.push_back(std::move(found.counts));
  }
  return counts;
}

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

// Runs it on all cores into `output`; throws Failure(resumable) where it was stopped.
void run_study_into(study::Study& study, const fs::path& output, const std::string& line,
                    const Streams& streams) {
  const int threads = static_cast<int>(thread_count(0));
  study.describe_run(line, threads);
  engine::RunOptions options;
  options.output = output;
  options.durability = store::Durability::scratch;
  options.progress_line = is_watched(streams);
  options.quiet = !options.progress_line;
  options.objective_units = study.objective_units();
  options.most_is_best = study.spec().objectives.front().direction == space::Direction::maximize;
  options.log = &streams.err;
  const engine::RunReport report = engine::run_on_threads(
      threads, study.description(), [&] { return study.make_evaluator(); }, options);
  if (report.exit != ExitCode::ok) {
    throw Failure(report.exit, "stopped before all layouts were tried; nothing is recommended");
  }
}

// The fewest devices, of a few larger numbers, that have a feasible layout; empty where none has.
std::string fewest_text(const Question& question, const Sources& sources, const fs::path& folder,
                        const std::string& line, const Streams& streams) {
  if (question.counts.size() != 1 || question.devices.size() != 1) {
    return "";
  }
  Question more = question;
  more.counts.clear();
  if (more.curve) {  // what has room for one request has a curve
    more.curve = false;
    more.concurrency = {1};
  }
  for (std::int64_t times = 2; times <= most_times_more; times *= 2) {
    more.counts.push_back(times * question.counts.front());
  }
  const fs::path file = folder / "more.toml";
  write_file_durably(file,
                     make_spec(more, {{more.devices.front(), more.counts}}, sources.catalog).text);
  Diagnostics ignored;
  std::optional<study::Study> study = study::Study::load(file, sources.places, ignored);
  if (!study) {
    return "";
  }
  const fs::path output = folder / "more.h5";
  run_study_into(*study, output, line, streams);
  const std::int64_t fewest = fewest_devices(store::StudyReader(output));
  return fewest == 0 ? fmt::format("up to {} devices do not suffice either", more.counts.back())
                     : fmt::format("{} devices suffice, of {} to {} by powers of two", fewest,
                                   more.counts.front(), more.counts.back());
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
    if (const std::string& device = point.system.system->device.name; !can_launch(device)) {
      preface.notes.push_back("what to run on " + device + " is not known");
      continue;
    }
    std::vector<std::string> targets = deploy::targets_of(study.kind());
    const std::string framework = deploy::framework_of(study, point);
    if (const auto own = deploy::target_of(study.kind(), framework)) {
      if (const std::string problem = deploy::version_problem(study.kind(), *own, framework);
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

std::string joined_shortage(const std::string& shortage, const std::string& fewest) {
  return shortage + (shortage.empty() || fewest.empty() ? "" : "; ") + fewest;
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
  const MadeSpec made =
      make_spec(question, counts_of(question, sources->catalog, preface), sources->catalog);
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
  const std::string fewest =
      lacks_devices ? fewest_text(question, *sources, folder.path(), line, streams) : "";
  if (question.curve) {
    CurveAnswer answer = find_curve_answer(reader, *study);
    answer.shortage = joined_shortage(answer.shortage, fewest);
    answer.measured = std::move(*measured);
    preface.tried = "points";
    tell_curve(preface, answer, arguments, format, streams);
    return ExitCode::ok;
  }
  Answers answers =
      find_answers(reader, *study, static_cast<std::size_t>(arguments.top.value_or(usual_layouts)),
                   question.budget.empty() && question.counts.size() > 1);
  answers.shortage = joined_shortage(answers.shortage, fewest);
  add_launch(*study, answers, preface);
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
  for (const std::string& file : {arguments.output, arguments.save_spec, question.figure}) {
    if (!file.empty()) {
      check_place(file);
    }
  }
}

void read_tokens(RecommendArguments& arguments) {
  const auto read = [](const char* option, const std::string& text,
                       std::optional<std::int64_t>& tokens) {
    if (!text.empty()) {
      tokens = parse_tokens(option, text);
    }
  };
  read("--tokens", arguments.batch_tokens, arguments.question.batch_tokens);
  read("--run-tokens", arguments.run_tokens, arguments.question.run_tokens);
}

void add_training_options(Command& command, RecommendArguments& arguments) {
  Question& question = arguments.question;
  command.flag("--train", arguments.train, "What trains soonest");
  command
      .option("--sequence", question.sequence, "TOKENS",
              "Training: length of a sequence (default: 8192, or the context of the model)")
      .at_least(1);
  command.option("--global-batch", question.global_batch, "N", "Training: sequences of a step")
      .at_least(1);
  command.option(
      "--tokens", arguments.batch_tokens, "TOKENS",
      "Training: tokens of a step, '4 M', in place of --global-batch (default: 4194304)");
  command.option("--run-tokens", arguments.run_tokens, "TOKENS",
                 "Training: tokens of the whole run, '15 T': how many days it takes, and what it "
                 "costs");
}

void add_session_options(Command& command, Question& question) {
  command
      .option("--turns", question.turns, "N",
              "Serving: turns of a session, a chat or an agent; --prompt is the first of them, and "
              "--concurrency counts sessions")
      .at_least(1);
  command
      .option("--turn-tokens", question.turn_tokens, "TOKENS",
              "Sessions: what a user or a tool adds before each turn but the first")
      .at_least(0);
  command
      .option("--shared-prompt", question.shared_prompt, "TOKENS",
              "Sessions: tokens of --prompt that all begin with (default: 0)")
      .at_least(0);
  command.option("--think-time", question.think_time, "TIME",
                 "Sessions: from an answer to the next turn, '30 s' (default: none)");
  command.option("--host-cache", question.host_cache, "SIZE",
                 "Sessions: host memory for each device that keeps what was said, '200 GB' "
                 "(default: none)");
}

void add_serving_options(Command& command, RecommendArguments& arguments) {
  Question& question = arguments.question;
  command.flag("--serve", arguments.serve, "What serves most tokens a second");
  command
      .option("--prompt", question.prompts, "TOKENS",
              "Serving: prompt of a request; several with commas are a mix")
      .list();
  command
      .option("--output-tokens", question.outputs, "TOKENS",
              "Serving: output of a request, one for each of --prompt")
      .list();
  command
      .option("--share", question.shares, "SHARES",
              "Serving: how many of each there are, relative to each other (default: alike)")
      .list();
  add_session_options(command, question);
  question.limits = latency_limits();
  for (LatencyLimit& limit : question.limits) {
    command.option(limit.option, limit.value, "TIME",
                   fmt::format("Serving: limit on {}, '{}'", limit.key,
                               limit.option.starts_with("--ttft") ? "2 s" : "30 ms"));
  }
  command.option("--request-rate", question.request_rate, "RATE",
                 "Serving: requests that arrive, '20 Hz': which layout answers them fastest "
                 "(default: as many as can be answered)");
  command
      .option("--concurrency", question.concurrency, "N",
              "Serving: requests in flight, each followed by the next, in place of "
              "--request-rate; each of several with commas is answered")
      .list();
  command.flag("--curve", question.curve,
               "Serving: output tokens/s a device over tokens/s a user, the best layout at each "
               "rate, over all numbers of requests in flight");
  command.option("--figure", question.figure, "FILE", "Draw the curve (FILE.svg)");
  command.option("--measured", question.measured, "FILE",
                 "Draw measured points beside it (FILE.csv: tokens_per_s_user, "
                 "tokens_per_s_device, label)");
}

}  // namespace

Command recommend_command(const std::string& line) {
  Command command("recommend", "The best layout of a model on so many devices, in one question");
  auto arguments = std::make_shared<RecommendArguments>();
  Question& question = arguments->question;
  command.require(command.option("--model", question.model, "MODEL",
                                 "A model of the catalog, or its config.json from Hugging Face, "
                                 "or the folder of that"),
                  "which model? add --model NAME; 'scalesweep catalog list --kind models' lists "
                  "them");
  const Option device = command.option("--device", question.devices, "NAME",
                                       "A device of the catalog; of several with commas the best "
                                       "is told");
  Option(device).list();
  command.require(device,
                  "on what? add --device NAME; 'scalesweep catalog list --kind devices' lists "
                  "them");
  Option(command.option("--devices", question.counts, "N",
                        "How many; each of several with commas is answered"))
      .list();
  command.option("--budget", question.budget, "AMOUNT",
                 "In place of --devices: as many as a power ('500 kW') or a capital ('2 MUSD') "
                 "allows, with servers and networks");
  add_training_options(command, *arguments);
  add_serving_options(command, *arguments);
  command.option("--precision", question.precision, "NAME",
                 "bf16, fp8, ..., of serving w4a16 and w8a16 too (default: bf16; of serving as the "
                 "weights are published)");
  Option(command.option("--framework", question.frameworks, "NAME",
                        "The software (default: megatron-lm, of serving vllm); of several with "
                        "commas the best is told"))
      .list();
  command.option("--network", question.network, "NAME",
                 "Between servers, 'NDRx8' (default: that of the device)");
  command
      .option("--top", arguments->top, "K",
              "Layouts to show (default: 5), or points of a curve (12)")
      .at_least(1);
  command.option("-o,--output", arguments->output, "OUT.h5",
                 "Keep the study (default: a temporary file)");
  command.option("--save-spec", arguments->save_spec, "FILE", "Keep its spec, to change and run");
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
