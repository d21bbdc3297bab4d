// scalesweep status FILE: how far a study is, whether finished or not.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/options/options.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"
#include "core/documents/shell.hpp"
#include "core/host/progress.hpp"
#include "core/text.hpp"
#include "engine/output_lock.hpp"
#include "store/hdf5/names.hpp"
#include "store/read/progress.hpp"
#include "store/read/study_file.hpp"
#include "store/read/study_parts.hpp"
#include "store/seal/verify.hpp"

namespace scalesweep::cli {
namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// Nothing is damaged as far as it shows, but part of it is under no seal.
constexpr auto not_all_sealed = static_cast<ExitCode>(76);

enum class State { finished, running, computed, stopped };

State state_of(const std::string& file, const store::OutputProgress& progress) {
  if (progress.finished) {
    return State::finished;
  }
  if (engine::is_being_written(file)) {
    return State::running;
  }
  return progress.done == progress.points ? State::computed : State::stopped;
}

std::string state_text(State state, const store::OutputProgress& progress,
                       const std::string& file) {
  switch (state) {
    case State::finished:
      return progress.layout == store::Layout::merged
                 ? "finished"
                 : fmt::format("finished, virtual: its rows are in {}.d", file);
    case State::running:
      return "unfinished: a run is at work on it now";
    case State::computed:
      return fmt::format("all computed: the same run command or 'scalesweep merge {}' ends it",
                         shell_word(file));
    case State::stopped:
      break;
  }
  return "unfinished: the same run command goes on";
}

std::string missing_text(const store::OutputProgress& progress) {
  return fmt::format("{} points in {} piece{}, the first from id {}",
                     with_thousands(progress.points - progress.done),
                     with_thousands(static_cast<std::int64_t>(progress.missing.size())),
                     progress.missing.size() == 1 ? "" : "s", progress.missing.front().first);
}

std::string damaged_text(const std::vector<std::string>& files) {
  constexpr std::size_t most_named = 3;
  return join_first(most_named, files, "; ") + "; the same run command makes them anew";
}

void add_unfinished(Sheet& sheet, const store::OutputProgress& progress, State state) {
  sheet.rows.push_back({"segments", {with_thousands(progress.segments), progress.segments}});
  if (!progress.missing.empty()) {
    sheet.rows.push_back({"missing", {missing_text(progress), progress.points - progress.done}});
  }
  if (!progress.ignored.empty()) {
    sheet.rows.push_back({"damaged", damaged_text(progress.ignored)});
  }
  if (progress.recent_rate > 0.0) {
    const double left_s =
        static_cast<double>(progress.points - progress.done) / progress.recent_rate;
    sheet.rows.push_back(
        {"rate",
         {state == State::running
              ? fmt::format("{}, {}", rate_text(progress.recent_rate), eta_text(left_s))
              : fmt::format("{} when it was last at work", rate_text(progress.recent_rate)),
          progress.recent_rate}});
  }
  if (progress.segments > 0) {
    sheet.rows.push_back({"last saved",
                          {fmt::format("{} ago", duration_text(progress.seconds_since_last)),
                           progress.seconds_since_last}});
  }
}

// "a (ids 0 to 11), b (ids 12 to 23)"; "" of no parts.
std::string parts_text(const std::vector<store::StudyPart>& parts) {
  std::vector<std::string> texts;
  for (const store::StudyPart& part : parts) {
    texts.push_back(fmt::format("{} (ids {} to {})", part.name, with_thousands(part.ids.first),
                                with_thousands(part.ids.last - 1)));
  }
  return join(texts, ", ");
}

Sheet overview(const std::string& file, const store::OutputProgress& progress, State state) {
  Sheet sheet{"study", "", {{"name", "", Align::left}, {"value", "", Align::left}}, {}, false};
  sheet.rows = {
      {"title", progress.title},
      {"state", state_text(state, progress, file)},
      {"file", progress.finished ? file : store::segments_folder(file).string()},
      {"size", {with_si_prefix(static_cast<double>(progress.bytes), "B"), progress.bytes}},
      {"points", {with_thousands(progress.points), progress.points}},
      {"done",
       {fmt::format("{} ({})", with_thousands(progress.done),
                    share(progress.done, progress.points)),
        progress.done}},
      {"rows kept", {with_thousands(progress.rows), progress.rows}},
  };
  if (!progress.finished) {
    add_unfinished(sheet, progress, state);
  } else if (const auto parts = store::parts_of(store::StudyReader(file)); !parts.empty()) {
    sheet.rows.push_back({"union of", parts_text(parts)});
    if (const std::string estimators = store::estimators_text(parts); !estimators.empty()) {
      sheet.rows.push_back({"estimators", "different versions: " + estimators});
    }
  }
  sheet.rows.push_back({"identity", progress.identity});
  return sheet;
}

std::string verified_text(const store::VerifiedStudy& verified) {
  const std::string values = fmt::format("every value of {} rows", with_thousands(verified.rows));
  const std::int64_t unsealed = verified.files - verified.sealed;
  if (unsealed == 0) {
    return fmt::format("{}; names, texts and counts of {} file{}", values,
                       with_thousands(verified.files), verified.files == 1 ? "" : "s");
  }
  return fmt::format(
      "that {} decodes; not that they are those that were computed, nor names, texts and counts: "
      "{} "
      "of {} files have no seal, since an earlier version wrote them, or another program has "
      "changed them; 'explain' computes any point again",
      values, with_thousands(unsealed), with_thousands(verified.files));
}

// Reads all of it.
ExitCode add_verified(Sheet& sheet, const std::string& file, const Streams& streams) {
  ReadingLine reading(streams);
  const store::VerifiedStudy verified = store::verify_study(file, 0, reading.progress());
  reading.end();
  sheet.rows.push_back({"verified", verified_text(verified)});
  if (verified.left_out.empty()) {
    return verified.sealed == verified.files ? ExitCode::ok : not_all_sealed;
  }
  // What shows at the first look is among it.
  std::erase_if(sheet.rows, [](const auto& row) { return row.front().text == "damaged"; });
  sheet.rows.push_back({"damaged", damaged_text(verified.left_out)});
  return ExitCode::io;
}

Sheet counts_sheet(const store::OutputProgress& progress) {
  Sheet sheet{"status",
              "Points by status",
              {{"status", "status", Align::left},
               {"points", "points", Align::right},
               {"share", "share", Align::right}},
              {},
              true};
  for (std::size_t i = 0; i < progress.count_names.size() && i < progress.counts.size(); ++i) {
    const std::int64_t count = progress.counts[i];
    if (count > 0) {
      sheet.rows.push_back({progress.count_names[i],
                            {with_thousands(count), count},
                            {share(count, progress.done),
                             static_cast<double>(count) / static_cast<double>(progress.done)}});
    }
  }
  return sheet;
}

struct StatusArguments {
  std::string file;
  bool exit_code = false;
  bool verify = false;
  std::optional<double> watch_s;
};

store::OutputProgress look(const std::string& file, const Streams& streams) {
  ReadingLine reading(streams);
  return store::read_progress(file, reading.progress());
}

// One line that is written again, as `run` has it, while a run is at work; what it leaves.
store::OutputProgress watch(const std::string& file, double interval_s, const Streams& streams) {
  using std::chrono::steady_clock;
  const auto seconds_since = [begin = steady_clock::now()] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  ProgressLog log(streams.err, is_watched(streams) ? ProgressLog::Style::rewritten_line
                                                   : ProgressLog::Style::sparse_lines);
  store::OutputProgress progress = look(file, streams);
  ProgressState state;
  state.earlier = progress.done;
  while (state_of(file, progress) == State::running) {
    state.done = progress.done;
    state.total = progress.points;
    state.elapsed_seconds = seconds_since();
    log.update(state, state.elapsed_seconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(interval_s));
    progress = look(file, streams);
  }
  log.close("");
  return look(file, streams);  // the last one may have met the run while it tidied up
}

ExitCode show_status(const StatusArguments& arguments, Format format, const Streams& streams) {
  if (arguments.verify) {
    store::try_sealed_files(arguments.file);
  }
  const store::OutputProgress progress = arguments.watch_s
                                             ? watch(arguments.file, *arguments.watch_s, streams)
                                             : look(arguments.file, streams);
  Sheet study = overview(arguments.file, progress, state_of(arguments.file, progress));
  const ExitCode verified =
      arguments.verify ? add_verified(study, arguments.file, streams) : ExitCode::ok;
  print(streams, {study, counts_sheet(progress)}, format);
  if (verified != ExitCode::ok) {
    return verified;
  }
  return progress.finished || !arguments.exit_code ? ExitCode::ok : ExitCode::resumable;
}

}  // namespace

Command status_command() {
  Command command("status", "How far a study is, and how many points ended in what");
  auto arguments = std::make_shared<StatusArguments>();
  command.operand("file", arguments->file, "OUT.h5", "The output of a run, finished or not",
                  "the file", "status OUT.h5");
  command.flag("--exit-code", arguments->exit_code,
               "Exit with 75 if the study is unfinished: the same run goes on");
  command.flag("--verify", arguments->verify,
               "Read all of it: whether every value, name and text is as it was written; exit with "
               "74 where some are not, with 76 where nobody can tell as a file has no seal");
  command
      .option("--watch", arguments->watch_s, "S",
              "Look again every S seconds until no run is at work on it any more")
      .above_zero();
  const auto format = add_format_option(command, false);
  command.body = [arguments, format](const Streams& streams) {
    return show_status(*arguments, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
