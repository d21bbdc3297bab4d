// One simulated run with given costs, for scaling.py; the result as words "name=value".
#include <fmt/core.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "engine/master/master.hpp"
#include "engine/master/pace.hpp"
#include "engine/worker/messages.hpp"
#include "prediction/simulation.hpp"

namespace {

using namespace scalesweep::engine;

double thread_cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Processor time of the master for one message of `ranks` ranks, with its answer if there is one,
// from bytes to bytes; without the MPI library.
double message_seconds(int ranks) {
  MasterOptions options;
  options.scheduler.ids = {0, std::int64_t{1} << 40U};
  options.scheduler.chunk_rows = 16384;
  options.scheduler.ranks = ranks;
  std::size_t sent_bytes = 0;
  std::vector<scalesweep::IdRange> leased(static_cast<std::size_t>(ranks));
  Master master(options, {}, std::vector<bool>(static_cast<std::size_t>(ranks), true), 0.0,
                [&](int rank, const Order& order) {
                  sent_bytes += encode(order).size();
                  leased[static_cast<std::size_t>(rank)] = order.ids;
                });
  constexpr int rounds = 20;
  RankReport report;
  const double start_s = thread_cpu_seconds();
  for (int round = 0; round < rounds; ++round) {
    report.totals.evaluated += 16384;
    report.totals.evaluate_seconds += 1.0;
    for (int rank = 0; rank < ranks; ++rank) {
      report.kind = ReportKind::request;
      master.handle(rank, decode_report(encode(report)), round);
      report.kind = ReportKind::completed;
      report.ids = leased[static_cast<std::size_t>(rank)];
      master.handle(rank, decode_report(encode(report)), round);
    }
    master.tick(round);
  }
  return sent_bytes > 0 ? (thread_cpu_seconds() - start_s) / (2.0 * rounds * ranks) : 0.0;
}

struct Arguments {
  SimulationOptions options;
  std::int64_t points = 1'000'000;
  int ranks = 1;
  double cores = 1e9;  // ranks share them
  double rate = 1'000.0;
  double latency_s = 1e-4;
  double spread_of_ranks = 0.0;
  double segment_seconds = 0.0;
  bool message_cost = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  SimulatedCosts& costs = arguments.options.costs;
  app.add_option("--points", arguments.points);
  app.add_option("--ranks", arguments.ranks);
  app.add_option("--cores", arguments.cores);
  app.add_option("--rate", arguments.rate, "points a second of one rank on a core of its own");
  app.add_option("--chunk-rows", arguments.options.scheduler.chunk_rows);
  app.add_option("--latency", arguments.latency_s);
  app.add_option("--report-service", costs.report_service);
  app.add_option("--order-service", costs.order_service);
  app.add_option("--write-per-segment", costs.write_per_segment);
  app.add_option("--write-per-point", costs.write_per_point);
  app.add_option("--compact-per-point", costs.compact_per_point);
  app.add_option("--merge-per-point", costs.merge_per_point);
  app.add_option("--spread-of-ranges", costs.spread_of_ranges);
  app.add_option("--range-points", costs.range_points);
  app.add_option("--spread-of-ranks", arguments.spread_of_ranks);
  app.add_option("--segment-seconds", arguments.segment_seconds, "0: as a run would choose");
  app.add_flag("--message-cost", arguments.message_cost,
               "measure that of the master, simulate nothing");
}

SimulationOptions simulation_of(const Arguments& arguments) {
  SimulationOptions options = arguments.options;
  RunOptions run;
  if (arguments.segment_seconds > 0.0) {
    run.segment_seconds = arguments.segment_seconds;
  }
  const Pace pace = pace_of(arguments.ranks, run);
  options.segment_seconds = pace.segment_seconds;
  options.report_interval_s = pace.report_interval_seconds;
  options.master_computes = pace.master_computes;
  options.scheduler.ids = {0, arguments.points};
  options.silent = true;
  options.keeps_ranges = false;
  options.costs.latency_spread = 0.5;
  const double share = std::min(1.0, arguments.cores / arguments.ranks);  // of a core
  // What a core does for several ranks takes each of them so much longer.
  options.costs.write_per_point /= share;
  options.ranks.resize(static_cast<std::size_t>(arguments.ranks));
  for (std::size_t rank = 0; rank < options.ranks.size(); ++rank) {
    const double u = std::fmod(0.6180339887498949 * static_cast<double>(rank), 1.0);
    options.ranks[rank].points_per_second =
        arguments.rate * share * (1.0 + arguments.spread_of_ranks * (2.0 * u - 1.0));
    options.ranks[rank].latency_s = arguments.latency_s;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("one simulated run");
  declare(app, arguments);
  CLI11_PARSE(app, argc, argv);
  if (arguments.message_cost) {
    fmt::print("message={:.4g}\n", message_seconds(arguments.ranks));
    return 0;
  }
  const SimulationResult result = simulate(simulation_of(arguments));
  fmt::print(
      "complete={} serve={:.6f} merge={:.6f} leases={} segments={} messages={} busy={:.6f} "
      "tail={:.6f}\n",
      result.complete ? 1 : 0, result.seconds, result.merge_seconds, result.lease_count,
      result.segment_count, result.message_count, result.master_busy_seconds / result.seconds,
      result.idle_seconds / (result.seconds * arguments.ranks));
  return 0;
}
