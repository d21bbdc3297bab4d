#include "engine/run.hpp"

#include <algorithm>

#include "engine/master_run.hpp"
#include "engine/worker.hpp"

namespace scalesweep::engine {
namespace {

// Five words of progress a second from each rank, fewer from many.
constexpr double shortest_report_interval = 0.2;
constexpr double report_seconds_per_rank = 0.002;

WorkerOptions worker_options(const Transport& transport, const RunOptions& options) {
  WorkerOptions worker;
  worker.output = options.output;
  worker.report_interval_seconds =
      std::min(std::max(shortest_report_interval, report_seconds_per_rank * transport.size()),
               options.rank_timeout_seconds / 4.0);
  worker.master_timeout_seconds = options.rank_timeout_seconds;
  worker.keeps_lock = transport.rank() != 0;
  return worker;
}

}  // namespace

RunReport run_study(Transport& transport, const store::StudyDescription& study,
                    Evaluator& evaluator, const RunOptions& options) {
  const WorkerOptions worker = worker_options(transport, options);
  if (transport.rank() == 0) {
    return MasterRun(transport, study, evaluator, options, worker).run();
  }
  RunReport report;
  report.ranks = transport.size();
  report.exit = Worker(transport, study, evaluator, worker).run();
  return report;
}

}  // namespace scalesweep::engine
