// scalesweep run SPEC -o OUT.h5: evaluates a study on one or many ranks, or goes on with it.
#include <fmt/core.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <cmath>

#include "analysis/closest.hpp"
#include "cli/keep_option.hpp"
#include "cli/launch.hpp"
#include "cli/options.hpp"
#include "core/text.hpp"
#include "engine/run.hpp"
#include "store/reader.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  std::string spec;
  std::string output;
  std::string keep;
  double segment_seconds = 5.0;
  bool quiet = false;
};

Failure refuse(const std::string& message) {
  return Failure(ExitCode::cannot_create, message);
}

void check_place(const fs::path& output) {
  if (fs::is_directory(output)) {
    throw refuse(fmt::format("{} is a folder; name a file in it, for example -o {}",
                             output.string(), (output / "study.h5").string()));
  }
  const fs::path folder = output.parent_path();
  if (!folder.empty() && !fs::is_directory(folder)) {
    throw refuse(
        fmt::format("cannot write {}: there is no folder {}; make it with 'mkdir -p {}' or "
                    "choose another place with -o",
                    output.string(), folder.string(), folder.string()));
  }
}

std::string percentage(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.3g} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
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
  line("next", fmt::format("scalesweep analyze {}", output.string()));
}

ExitCode run_spec(const RunArguments& arguments, const std::string& catalog,
                  const std::string& line, const Streams& streams) {
  std::optional<study::Study> study = load_study(arguments.spec, catalog, streams);
  if (!study) {
    return ExitCode::bad_input;
  }
  if (!arguments.keep.empty()) {
    study->set_keep(parse_keep(arguments.keep, study->space().axes()));
  }
  const fs::path output = arguments.output;
  check_place(output);
  return with_transport([&](engine::Transport& transport) {
    study->describe_run(line, transport.size());
    engine::Evaluator evaluator = study->make_evaluator();
    engine::RunOptions options;
    options.output = output;
    options.segment_seconds = arguments.segment_seconds;
    options.progress_line = isatty(STDERR_FILENO) == 1;
    options.quiet = arguments.quiet;
    options.objective_units = study->objective_units();
    options.log = &streams.err;
    const engine::RunReport report =
        engine::run_study(transport, study->description(), evaluator, options);
    if (transport.rank() != 0) {
      return report.exit;
    }
    if (report.already_finished) {
      fmt::print(streams.out, "{} is this study, finished: nothing to do\n", output.string());
    } else if (report.exit == ExitCode::resumable) {
      fmt::print(streams.err,
                 "stopped early: {} of {} points are safe in {}.d; the same command goes on\n",
                 with_thousands(report.points + report.resumed_points),
                 with_thousands(study->space().size()), output.string());
    } else if (!arguments.quiet) {
      print_summary(output, *study, report, streams);
    }
    return report.exit;
  });
}

}  // namespace

Command add_run(CLI::App& parent, const std::string& line) {
  CLI::App* app = parent.add_subcommand(
      "run", "Evaluate every point into one HDF5 file; the same again resumes");
  auto arguments = std::make_shared<RunArguments>();
  CLI::Option* spec =
      app->add_option("spec", arguments->spec, "The study, a TOML file")->type_name("SPEC");
  CLI::Option* output =
      app->add_option("-o,--output", arguments->output,
                      "The file to write; unfinished work is kept beside it in OUT.h5.d")
          ->type_name("OUT.h5");
  app->add_option("--keep", arguments->keep,
                  "Which rows stay, instead of what the spec says: all, feasible, frontier, or "
                  "best=K[:AXIS,AXIS...], the K fastest of each combination of the axes")
      ->type_name("POLICY");
  app->add_option("--segment-seconds", arguments->segment_seconds,
                  "Work between two saves, and so what a crash may lose (default: 5)")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  app->add_flag("-q,--quiet", arguments->quiet, "No progress, no summary");
  const auto catalog = add_catalog_option(*app);
  auto body = [arguments, catalog, line](const Streams& streams) {
    return run_spec(*arguments, *catalog, line, streams);
  };
  return {app,
          {required_operand(spec, "the spec", "run SPEC -o OUT.h5"),
           {output, "nowhere to write; add -o OUT.h5"}},
          body};
}

}  // namespace scalesweep::cli
