// scalesweep merge OUT.h5: one file of what several runs computed, or of a virtual one.
// scalesweep merge --union A.h5 B.h5 -o C.h5: several finished studies as one.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>

#include "analysis/file/union/unite.hpp"
#include "cli/options/values/run_values.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"
#include "engine/output_lock.hpp"
#include "engine/signals.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/read/study_file.hpp"
#include "store/texts/anonymous.hpp"
#include "study/rows/keep.hpp"

namespace scalesweep::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  bool union_of_all = false;
  std::string union_file;
  std::string layout = "merged";
  std::int64_t shards = 0;
  bool no_sync = false;
  bool anonymous = false;
};

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_words = 8;

bool overlap(IdRange a, IdRange b) {
  return std::max(a.first, b.first) < std::min(a.last, b.last);
}

// Which ids are missing, and which shards they belong to if their number is known.
std::string missing_text(const store::OutputProgress& progress, std::int64_t chunk_rows,
                         std::int64_t shards) {
  std::vector<std::string> ranges;
  for (const IdRange& ids : progress.missing) {
    ranges.push_back(fmt::format("{} to {}", ids.first, ids.last - 1));
  }
  std::vector<std::string> numbers;
  for (std::int64_t number = 1; number <= shards; ++number) {
    const IdRange ids = ids_of({number, shards}, progress.points, chunk_rows);
    const bool misses = std::any_of(progress.missing.begin(), progress.missing.end(),
                                    [&](const IdRange& gap) { return overlap(gap, ids); });
    if (misses) {
      numbers.push_back(fmt::format("{}/{}", number, shards));
    }
  }
  const std::string ignored =
      progress.ignored.empty()
          ? ""
          : fmt::format("; these files do not count: {}", join_first(most_words, progress.ignored));
  return fmt::format(
      "{}: {} of {} points are missing: ids {}{}{}; run {} again, then merge", progress.title,
      with_thousands(progress.points - progress.done), with_thousands(progress.points),
      join_first(most_words, ranges),
      numbers.empty() ? "" : fmt::format("; shards {}", join_first(most_words, numbers)), ignored,
      numbers.empty() ? "what computes them" : "these shards");
}

store::OutputProgress progress_of(const std::filesystem::path& output, const Streams& streams) {
  ReadingLine reading(streams);
  return store::read_progress(output, reading.progress());
}

// What there is now, and what to do with it.
void show_merged(const std::filesystem::path& output, Clock::time_point start,
                 const Streams& streams) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const store::OutputProgress after = store::read_progress(output);
  fmt::print(streams.out, "{}: {} points, {} rows, {} in {}\n", output.string(),
             with_thousands(after.points), with_thousands(after.rows),
             with_si_prefix(static_cast<double>(after.bytes), "B"), duration_text(seconds));
  fmt::print(streams.out, "next: scalesweep analyze {}\n", shell_word(output.string()));
}

ExitCode unite(const MergeArguments& arguments, const Streams& streams) {
  const auto start = Clock::now();
  ReadingLine reading(streams);
  const analysis::Union made = analysis::unite_studies(
      {arguments.files.begin(), arguments.files.end()}, arguments.union_file,
      {{0, reading.progress()},
       arguments.no_sync ? store::Durability::scratch : store::Durability::synced,
       arguments.anonymous});
  reading.end();
  for (const std::string& note : made.notes) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  if (const std::string note = analysis::estimators_note(store::StudyReader(arguments.union_file));
      !note.empty()) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  show_merged(arguments.union_file, start, streams);
  return ExitCode::ok;
}

// A finished file stays as it is.
void refuse_names(const MergeArguments& arguments, const std::filesystem::path& output) {
  const store::StudyReader reader(output);
  const store::StudyTexts texts{reader.provenance(), reader.root_attributes()};
  if (arguments.anonymous && store::anonymous(texts) != texts) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{} is finished and stays as it is, with the names that it has; "
                              "'scalesweep publish {} -o FOLDER' makes a copy without them",
                              output.string(), shell_word(output.string())));
  }
}

ExitCode merge_output(const MergeArguments& arguments, const Streams& streams) {
  const std::filesystem::path output = arguments.files.front();
  const store::Layout layout = parse_layout(arguments.layout);
  if (arguments.anonymous && layout == store::Layout::by_segment) {
    throw Failure(ExitCode::usage,
                  "merge: --anonymous goes with --layout merged: the folder of a virtual file has "
                  "the names that its runs wrote; leave --layout out");
  }
  const store::OutputProgress before = progress_of(output, streams);
  if (before.finished && before.layout == layout) {
    refuse_names(arguments, output);
    store::remove_emptied(output);
    fmt::print(streams.out, "{} is finished: nothing to do\n", output.string());
    return ExitCode::ok;
  }
  const auto say = [&](const std::string& text) { tell(streams, fmt::format("{}\n", text)); };
  const auto lock = engine::lock_output(output, before.points, say);
  // Looked at again: until there was a lock, others may have been at work.
  const store::OutputProgress progress = progress_of(output, streams);
  store::StudyDescription study = store::read_description(output);
  if (arguments.anonymous) {
    store::make_anonymous(study);
  }
  if (!progress.missing.empty()) {
    throw Failure(ExitCode::resumable, missing_text(progress, study.chunk_rows, arguments.shards));
  }
  const engine::StopSignals signals;
  store::FinishOptions options;
  options.layout = layout;
  options.durability = arguments.no_sync ? store::Durability::scratch : store::Durability::synced;
  options.stop_requested = [&] { return signals.requested(); };
  const auto start = Clock::now();
  ReadingLine merging(streams);
  options.progress = merging.progress();
  const store::FinishReport report =
      store::finish(output, study, study::selector_of(study), options);
  merging.end();
  if (!report.complete) {
    tell(streams, "stopped while merging; the same command goes on\n");
    return ExitCode::resumable;
  }
  show_merged(output, start, streams);
  return ExitCode::ok;
}

ExitCode merge_files(const MergeArguments& arguments, const Streams& streams) {
  engine::outlive_readers();
  const auto usage = [](const std::string& message) {
    return Failure(ExitCode::usage, "merge: " + message);
  };
  if (arguments.union_of_all && arguments.union_file.empty()) {
    throw usage("--union needs a file to write: -o FILE.h5");
  }
  if (arguments.union_of_all) {
    return unite(arguments, streams);
  }
  if (arguments.files.size() > 1) {
    throw usage(
        "one output at a time; several finished studies become one with --union -o FILE.h5");
  }
  if (!arguments.union_file.empty()) {
    throw usage("-o is for --union; without it the merged file is OUT.h5 itself");
  }
  return merge_output(arguments, streams);
}

}  // namespace

Command merge_command() {
  Command command("merge",
                  "Make one file of what several runs computed, or of several studies (--union)");
  auto arguments = std::make_shared<MergeArguments>();
  command.operand("file", arguments->files, "OUT.h5",
                  "The output that the runs were given; with --union the finished studies",
                  "the file", "merge OUT.h5");
  command.flag("--union", arguments->union_of_all,
               "Put finished studies into one file, whose axis 'study' names them; with -o");
  command.option("-o,--output", arguments->union_file, "OUT.h5", "With --union: the file to write");
  command.option("--layout", arguments->layout, "LAYOUT",
                 "merged (default): one file; virtual: a file that refers to OUT.h5.d, without "
                 "copying");
  command
      .option("--shards", arguments->shards, "N",
              "How many shards there were: names those that are missing")
      .at_least(1);
  command.flag("--no-sync", arguments->no_sync, "Do not wait for the disk");
  command.flag("--anonymous", arguments->anonymous,
               "Write no names of hosts and folders into the file, no environment and no job");
  command.body = [arguments](const Streams& streams) { return merge_files(*arguments, streams); };
  return command;
}

}  // namespace scalesweep::cli
