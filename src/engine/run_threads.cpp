#include "engine/run_threads.hpp"

#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "core/contracts.hpp"
#include "engine/beside.hpp"
#include "engine/run.hpp"
#include "engine/signals.hpp"
#include "engine/worker/thread_network.hpp"

namespace scalesweep::engine {

RunReport run_on_threads(int threads, const store::StudyDescription& study,
                         const std::function<Evaluator()>& make_evaluator,
                         const RunOptions& options) {
  SCALESWEEP_EXPECT(threads >= 1);
  const StopSignals signals;
  ThreadNetwork network(threads);
  const auto run_rank = [&](int rank) {
    const std::unique_ptr<Transport> transport = network.endpoint(rank);
    Evaluator evaluator = make_evaluator();
    return run_study(*transport, study, evaluator, options);
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < threads; ++rank) {
    others.emplace_back([&, rank] {
      try {
        run_rank(rank);
      } catch (const std::exception&) {
        network.kill(rank);  // its master takes it for dead, or is gone itself
      }
    });
  }
  RunReport report;
  beside(
      [&] {
        try {
          report = run_rank(0);
        } catch (...) {
          for (int rank = 1; rank < threads; ++rank) {
            network.kill(rank);
          }
          throw;
        }
      },
      [&] {
        if (signals.requested()) {
          network.request_stop(0);
        }
      });
  return report;
}

}  // namespace scalesweep::engine
