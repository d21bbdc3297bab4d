// scalesweep run SPEC -o OUT.h5: evaluates a study on one or many ranks, or goes on with it.
#include <fmt/core.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <cmath>

#include "analysis/findings/closest.hpp"
#include "analysis/flips/find_flips.hpp"
#include "analysis/selection/read_layout.hpp"
#include "analysis/show/verdict_text.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "cli/launch/launch.hpp"
#include "cli/options/options.hpp"
#include "cli/options/savings.hpp"
#include "cli/options/values/keep_option.hpp"
#include "cli/options/values/run_values.hpp"
#include "cli/output/terminal.hpp"
#include "core/documents/shell.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "engine/run.hpp"
#include "engine/signals.hpp"
#include "store/read/reader.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

// Long enough to know bytes per row within a few percent.
constexpr double space_sample_seconds = 0.2;
constexpr double ample_room = 4.0;
// Rows whose verdict is found in well under a second; of more, 'analyze' tells it.
constexpr std::int64_t most_rows_judged = 1'000'000;

struct RunArguments {
  std::string spec;
  std::string output;
  std::string keep;
  std::string counts;
  std::string shard;
  std::string time_limit;
  std::string layout = "merged";
  std::optional<double> segment_seconds;
  bool no_sync = false;
  bool no_space_check = false;
  bool anonymous = false;
  bool quiet = false;
  bool check = false;
};

std::string percentage(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.3g} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// What a study of modest size answers, as 'analyze' says it first.
std::string verdict_of(const store::StudyReader& reader, const study::Study& study,
                       const Streams& streams) {
  if (reader.rows() > most_rows_judged) {
    return "";
  }
  try {
    const analysis::StudyLayout layout = analysis::read_layout(reader, {});
    analysis::Verdicts verdicts =
        analysis::find_verdicts(reader, layout, analysis::questions_of(layout), "");
    analysis::find_flips(reader, layout, "", verdicts);
    analysis::add_savings(savings_in(study), verdicts);
    return "\n" + analysis::verdict_text(verdicts, text_width(streams));
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::bad_input) {
      throw;
    }
    return "";  // a study that analysis does not take is a study all the same
  }
}

void print_summary(const fs::path& output, const study::Study& study,
                   const engine::RunReport& report, const Streams& streams) {
  const store::StudyReader reader(output);
  const auto line = [&](const char* name, const std::string& text) {
    fmt::print(streams.out, "{:<12}{}\n", name, text);
  };
  line("study", study.spec().title);
  line("points", with_thousands(study.space().size()) +
                     (report.resumed_points > 0 ? fmt::format(" ({} of them from an earlier run)",
                                                              with_thousands(report.resumed_points))
                                                : ""));
  for (const auto& [status, count] : reader.counts()) {
    if (count > 0) {
      line("", fmt::format("{:<28}{:>16}  {:>7}", status, with_thousands(count),
                           percentage(count, reader.points())));
    }
  }
  line("rows kept", with_thousands(reader.rows()));
  if (report.skipped_points > 0) {
    line("skipped", fmt::format("{} points that fit, and by their bounds cannot stay",
                                with_thousands(report.skipped_points)));
  }
  line("time",
       fmt::format("{} on {} rank{}: evaluating {}, writing {}, merging {}",
                   duration_text(report.wall_seconds), report.ranks, report.ranks == 1 ? "" : "s",
                   duration_text(report.evaluate_seconds / report.ranks),
                   duration_text(report.write_seconds / report.ranks),
                   duration_text(report.merge_seconds)));
  if (report.points > 0 && report.evaluate_seconds > 0.0) {
    const auto points = static_cast<double>(report.points);
    line("rate", fmt::format("{} points/s, {} points/s per rank while evaluating",
                             with_thousands(std::llround(points / report.wall_seconds)),
                             with_thousands(std::llround(points / report.evaluate_seconds))));
  }
  line("memory", fmt::format("{:.0f} MB at most in one rank",
                             static_cast<double>(report.peak_memory_bytes) / 1e6));
  line("file", fmt::format("{} ({:.4g} MB)", output.string(),
                           static_cast<double>(fs::file_size(output)) / 1e6));
  for (const std::string& sentence : analysis::closest_points(reader)) {
    line("", sentence);
  }
  line("next", fmt::format("scalesweep analyze {}", shell_word(output.string())));
  fmt::print(streams.out, "{}", verdict_of(reader, study, streams));
}

// Uncompressed where there is much more room than that, else from a sample.
double stored_bytes_per_id(const study::Study& study, const fs::path& output) {
  const auto row_bytes = static_cast<double>(store::stored_row_bytes(study.description().schema));
  std::error_code unknown;
  const fs::space_info space = fs::space(parent_folder(output), unknown);
  const double room = unknown ? 0.0 : static_cast<double>(space.available);
  if (study.spec().search) {
    return 0.0;  // some rows of very many points
  }
  if (ample_room * row_bytes * static_cast<double>(study.space().size()) < room) {
    return row_bytes;
  }
  const study::Sample sample = study::measure_sample(study, space_sample_seconds);
  return sample.kept_fraction * sample.stored_bytes_per_row;
}

// Everything about it that the words of the command line decide.
engine::RunOptions run_options(const RunArguments& arguments, const study::Study& study) {
  engine::RunOptions options;
  options.output = arguments.output;
  options.segment_seconds = arguments.segment_seconds;
  options.layout = parse_layout(arguments.layout);
  if (options.layout == store::Layout::by_segment && !study.rows_are_final()) {
    throw Failure(ExitCode::usage,
                  "--layout virtual: this study drops rows at its end (keep = best or frontier) "
                  "and is small anyway; leave --layout out");
  }
  options.durability = arguments.no_sync ? store::Durability::scratch : store::Durability::synced;
  if (!arguments.time_limit.empty()) {
    options.time_limit_seconds = parse_time_limit(arguments.time_limit);
  }
  if (!arguments.shard.empty()) {
    options.shard =
        ids_of(parse_shard(arguments.shard), study.space().size(), study.description().chunk_rows);
  }
  options.progress_line = isatty(STDERR_FILENO) == 1;
  options.quiet = arguments.quiet;
  options.objective_units = study.objective_units();
  options.most_is_best = study.spec().objectives.front().direction == space::Direction::maximize;
  if (!arguments.no_space_check) {
    options.stored_bytes_per_id = [&study, output = options.output] {
      return stored_bytes_per_id(study, output);
    };
  }
  return options;
}

// What there is to say of a run of one shard.
void print_shard(const RunArguments& arguments, IdRange ids, const engine::RunReport& report,
                 const Streams& streams) {
  const std::string what =
      fmt::format("shard {}, ids {} to {}", arguments.shard, ids.first, ids.last - 1);
  if (ids.empty()) {
    fmt::print(streams.out, "shard {} has no points: nothing to do\n", arguments.shard);
  } else if (report.points == 0) {
    fmt::print(streams.out, "{}: all computed, in {}.d: nothing to do\n", what, arguments.output);
  } else {
    fmt::print(streams.out, "{}: {} points in {}, safe in {}.d\n", what,
               with_thousands(report.points), duration_text(report.wall_seconds), arguments.output);
  }
  fmt::print(streams.out, "next: scalesweep merge {}, once all shards are computed\n",
             shell_word(arguments.output));
}

void print_end(const RunArguments& arguments, const study::Study& study,
               const engine::RunOptions& options, const engine::RunReport& report,
               const Streams& streams) {
  const std::int64_t points = options.shard ? options.shard->size() : study.space().size();
  const std::int64_t safe = report.points + report.resumed_points;
  if (report.exit == ExitCode::resumable && safe == points) {
    tell(streams,
         fmt::format(
             "stopped while merging: all {} points are safe in {}.d; the same command goes on\n",
             with_thousands(points), arguments.output));
  } else if (report.exit == ExitCode::resumable) {
    tell(streams,
         fmt::format("stopped early: {} of {} points are safe in {}.d; the same command goes on\n",
                     with_thousands(safe), with_thousands(points), arguments.output));
  } else if (options.shard && !report.already_finished) {
    if (!arguments.quiet) {
      print_shard(arguments, *options.shard, report, streams);
    }
  } else if (report.already_finished) {
    fmt::print(streams.out, "{} is this study, finished: nothing to do\n", arguments.output);
  } else if (!arguments.quiet) {
    print_summary(arguments.output, study, report, streams);
  }
}

// Where --keep replaces the policy of the spec, its counts are exact but for --counts.
void set_policy(study::Study& study, const RunArguments& arguments) {
  if (arguments.keep.empty() && arguments.counts.empty()) {
    return;
  }
  space::Keep keep =
      arguments.keep.empty() ? study.spec().keep : parse_keep(arguments.keep, study.space().axes());
  if (!arguments.counts.empty()) {
    keep.counts = parse_counts(arguments.counts, keep);
  }
  if (const std::string problem = study.counts_problem(keep); !problem.empty()) {
    throw Failure(ExitCode::usage, problem);
  }
  study.set_keep(keep);
}

ExitCode run_spec(const RunArguments& arguments, const CatalogChoice& catalog,
                  const std::string& line, const Streams& streams) {
  engine::outlive_readers();  // a run of days does not end with who reads its log
  std::optional<study::Study> study = load_study(arguments.spec, catalog, streams);
  if (!study) {
    return ExitCode::bad_input;
  }
  tell(streams, framework_note(*study));
  set_policy(*study, arguments);
  const fs::path output = arguments.output;
  check_place(output);
  engine::RunOptions options = run_options(arguments, *study);
  if (arguments.check) {
    return ExitCode::ok;
  }
  if (options.shard && options.shard->empty()) {
    print_shard(arguments, *options.shard, {}, streams);
    return ExitCode::ok;
  }
  return with_transport([&](engine::Transport& transport) {
    study->describe_run(
        line, transport.size(),
        arguments.anonymous ? study::Study::Names::left_out : study::Study::Names::told);
    engine::Evaluator evaluator = study->make_evaluator();
    options.log = &streams.err;
    const engine::RunReport report =
        engine::run_study(transport, study->description(), evaluator, options);
    if (transport.rank() != 0) {
      return report.exit;
    }
    print_end(arguments, *study, options, report, streams);
    streams.out.flush();
    return report.exit;
  });
}

}  // namespace

Command run_command(const std::string& line) {
  Command command("run", "Evaluate every point into one HDF5 file; the same again resumes");
  auto arguments = std::make_shared<RunArguments>();
  command.operand("spec", arguments->spec, "SPEC", "The study, a TOML file", "the spec",
                  "run SPEC -o OUT.h5");
  command.require(
      command.option("-o,--output", arguments->output, "OUT.h5",
                     "The file to write; unfinished work is kept beside it in OUT.h5.d"),
      "nowhere to write; add -o OUT.h5");
  command.option("--keep", arguments->keep, "POLICY",
                 "Which rows stay, instead of what the spec says: all, feasible, "
                 "frontier[:AXIS,AXIS...], or best=K[:AXIS,AXIS...], the K fastest; each "
                 "combination of the axes has a frontier or a best of its own");
  command.choices("--counts", space::counts_names.list());
  command.option("--counts", arguments->counts, "COUNTS",
                 "bounded: points that cannot be the best or on the frontier are counted and not "
                 "estimated, and distributions are left out; exact: every point is estimated "
                 "(default: as the spec says, with --keep exact)");
  command.section("In parts, and within a time");
  command.option("--shard", arguments->shard, "K/N",
                 "Only the K-th of N parts of the points; any number of such runs may work on one "
                 "output, and 'merge' makes the file of them");
  command.option("--time-limit", arguments->time_limit, "TIME",
                 "Save and stop within this time (exit code 75): '55 min', 03:55:00");
  command.section("What is written");
  command.choices("--layout", {"merged", "virtual"});
  command.option("--layout", arguments->layout, "LAYOUT",
                 "merged (default): one file; virtual: a file that refers to OUT.h5.d, without "
                 "copying, which 'merge' turns into one file later");
  command
      .option("--segment-seconds", arguments->segment_seconds, "S",
              "Work between two saves, and so what a crash may lose (default: 5, more on "
              "thousands of ranks)")
      .above_zero();
  command.flag("--no-sync", arguments->no_sync,
               "Do not wait for the disk: for scratch results that need not survive a power cut");
  command.flag("--no-space-check", arguments->no_space_check,
               "Begin even if the results may not fit on the disk");
  command.flag("--anonymous", arguments->anonymous,
               "Write no names of hosts and folders into the file, no environment and no job");
  command.section("Others");
  command.flag(
      "--check", arguments->check,
      "Only look for mistakes in the spec and in these options; compute and write nothing");
  command.flag("-q,--quiet", arguments->quiet, "No progress, no summary");
  const auto catalog = add_catalog_option(command);
  command.body = [arguments, catalog, line](const Streams& streams) {
    return run_spec(*arguments, *catalog, line, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
