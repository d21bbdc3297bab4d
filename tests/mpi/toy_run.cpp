// The toy study under MPI, for mpi_test.py: what `scalesweep run` does, without the domain.
//   mpirun -n 4 toy_run out.h5 [--points N] [--cost S] ...   runs it
//   toy_run out.h5 --check [--points N]                      compares the file with what is right
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "engine_mpi/mpi_transport.hpp"
#include "support/toy_study.hpp"

namespace {

using namespace scalesweep;

struct Arguments {
  test::ToyOptions toy{.points = 40'000, .chunk_rows = 256, .cpu_seconds_per_point = 50e-6};
  engine::RunOptions run;
  std::string output;
  bool check = false;
  int failing_rank = -1;    // its evaluator cannot write, after a while
  int throwing_rank = -1;   // throws before the run begins
  int differing_rank = -1;  // sees another study
};

engine::Evaluator failing(engine::Evaluator evaluator) {
  evaluator.evaluate = [evaluate = evaluator.evaluate, blocks = 0](
                           IdRange ids, engine::RangeResult& result) mutable {
    evaluate(ids, result);
    if (++blocks == 10) {
      throw Failure(ExitCode::io, "/data/x: No space left on device");
    }
  };
  return evaluator;
}

ExitCode run_on(engine::Transport& transport, const Arguments& arguments) {
  if (transport.rank() == arguments.throwing_rank) {
    throw Failure(ExitCode::no_input, "spec.toml: No such file or directory");
  }
  store::StudyDescription study = test::toy_description(arguments.toy);
  if (transport.rank() == arguments.differing_rank) {
    study.identity = "other";
  }
  engine::Evaluator evaluator = test::toy_evaluator(arguments.toy);
  if (transport.rank() == arguments.failing_rank) {
    evaluator = failing(evaluator);
  }
  const engine::RunReport report = engine::run_study(transport, study, evaluator, arguments.run);
  if (transport.rank() == 0) {
    fmt::print(
        "points={} resumed={} ranks={} lost={} segments={} rate={:.0f} busy={:.3f} "
        "write={:.3f} serve={:.3f} merge={:.3f} wall={:.3f} serving_cpu={:.3f}\n",
        report.points, report.resumed_points, report.ranks, report.lost_ranks, report.segments,
        static_cast<double>(report.points) / report.serve_seconds, report.evaluate_seconds,
        report.write_seconds, report.serve_seconds, report.merge_seconds, report.wall_seconds,
        test::thread_cpu_seconds());
  }
  return report.exit;
}

int check(const Arguments& arguments) {
  const std::string difference = test::toy_difference(arguments.output, arguments.toy);
  fmt::print("{}\n", difference.empty() ? "equal" : difference);
  return difference.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("toy study");
  app.add_option("output", arguments.output)->required();
  app.add_flag("--check", arguments.check);
  app.add_option("--points", arguments.toy.points);
  app.add_option("--chunk-rows", arguments.toy.chunk_rows);
  app.add_option("--cost", arguments.toy.cpu_seconds_per_point);
  app.add_option("--segment-seconds", arguments.run.segment_seconds);
  app.add_option("--rank-timeout", arguments.run.rank_timeout_seconds);
  app.add_option("--failing-rank", arguments.failing_rank);
  app.add_option("--throwing-rank", arguments.throwing_rank);
  app.add_option("--differing-rank", arguments.differing_rank);
  CLI11_PARSE(app, argc, argv);
  arguments.run.output = arguments.output;
  try {
    if (arguments.check) {
      return check(arguments);
    }
    return static_cast<int>(engine_mpi::with_mpi(
        [&](engine::Transport& transport) { return run_on(transport, arguments); }));
  } catch (const Failure& failure) {
    fmt::print(stderr, "toy_run: error: {}\n", failure.what());
    return static_cast<int>(failure.code());
  }
}
