// The toy study under MPI, for mpi_test.py: what `scalesweep run` does, without the domain.
//   mpirun -n 4 toy_run out.h5 [--points N] [--cost S] ...   runs it
//   toy_run out.h5 --check [--points N]                      compares the file with what is right
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "engine/worker/messages.hpp"
#include "engine_mpi/mpi_transport.hpp"
#include "support/toy_study.hpp"

namespace {

using namespace scalesweep;

struct Arguments {
  test::ToyOptions toy{.points = 40'000, .chunk_rows = 256, .cpu_seconds_per_point = 50e-6};
  engine::RunOptions run;
  std::string output;
  bool check = false;
  int messages = 0;         // of each rank: measures them instead of running
  bool scratch = false;     // not synced to disk
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

// How fast rank 0 gets and answers messages of the usual size while all others send as fast as
// they can: processor time and wall time of one that is received or sent, MPI included.
void measure_messages(engine::Transport& transport, int number) {
  const std::vector<std::byte> bytes = engine::encode(engine::RankReport{});
  const auto next = [&] {
    while (true) {
      if (auto message = transport.receive(1.0)) {
        return *message;
      }
    }
  };
  if (transport.rank() != 0) {
    for (int i = 0; i < number; ++i) {
      transport.send(0, bytes);
      next();
    }
    return;
  }
  const std::int64_t expected = std::int64_t{number} * (transport.size() - 1);
  const double cpu_s = test::thread_cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < expected; ++i) {
    const engine::Message message = next();
    static_cast<void>(engine::decode_report(message.bytes));
    transport.send(message.rank, engine::encode(engine::Order{}));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double messages = 2.0 * static_cast<double>(expected);
  fmt::print("message_cpu={:.4g} message_wall={:.4g}\n",
             (test::thread_cpu_seconds() - cpu_s) / messages, wall.count() / messages);
}

ExitCode run_on(engine::Transport& transport, const Arguments& arguments) {
  if (arguments.messages > 0) {
    measure_messages(transport, arguments.messages);
    return ExitCode::ok;
  }
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
        report.serving_seconds);
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
  IdRange shard;  // ids first ... last - 1, if not empty
  CLI::App app("toy study");
  app.add_option("output", arguments.output)->required();
  app.add_flag("--check", arguments.check);
  app.add_option("--messages", arguments.messages);
  app.add_option("--points", arguments.toy.points);
  app.add_option("--chunk-rows", arguments.toy.chunk_rows);
  app.add_option("--cost", arguments.toy.cpu_seconds_per_point);
  app.add_option("--segment-seconds", arguments.run.segment_seconds);
  app.add_option("--rank-timeout", arguments.run.rank_timeout_seconds);
  app.add_option("--time-limit", arguments.run.time_limit_seconds);
  app.add_option("--first", shard.first);
  app.add_option("--last", shard.last);
  app.add_flag("--drop-odd", arguments.toy.drop_odd);
  app.add_flag("--scratch", arguments.scratch);
  app.add_option("--failing-rank", arguments.failing_rank);
  app.add_option("--throwing-rank", arguments.throwing_rank);
  app.add_option("--differing-rank", arguments.differing_rank);
  CLI11_PARSE(app, argc, argv);
  arguments.run.output = arguments.output;
  if (!shard.empty()) {
    arguments.run.shard = shard;
  }
  if (arguments.scratch) {
    arguments.run.durability = store::Durability::scratch;
  }
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
