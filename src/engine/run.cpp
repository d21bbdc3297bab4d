#include "engine/run.hpp"

#include "core/host/processors.hpp"
#include "engine/master/master_run.hpp"
#include "engine/master/pace.hpp"
#include "engine/worker/worker.hpp"

namespace scalesweep::engine {
namespace {

WorkerOptions worker_options(const Transport& transport, const store::StudyDescription& study,
                             const RunOptions& options) {
  const Pace pace = pace_of(transport.size(), options);
  WorkerOptions worker;
  worker.output = options.output;
  worker.segment_seconds = pace.segment_seconds;
  worker.durability = options.durability;
  worker.report_interval_seconds = pace.report_interval_seconds;
  worker.master_timeout_seconds = pace.rank_timeout_seconds;
  worker.keeps_lock = transport.rank() != 0;
  worker.locks = options.shard.value_or(IdRange{0, study.points});
  worker.merge_threads = share_of_processors(transport.ranks_here());
  return worker;
}

}  // namespace

RunReport run_study(Transport& transport, const store::StudyDescription& study,
                    Evaluator& evaluator, const RunOptions& options) {
  const WorkerOptions worker = worker_options(transport, study, options);
  if (transport.rank() == 0) {
    return MasterRun(transport, study, evaluator, options, worker).run();
  }
  RunReport report;
  report.ranks = transport.size();
  report.exit = Worker(transport, study, evaluator, worker).run();
  return report;
}

}  // namespace scalesweep::engine
