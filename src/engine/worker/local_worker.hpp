// The worker of rank 0, in a thread beside the one that serves: evaluating and writing there never
// keeps another rank waiting for a lease.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "engine/worker/messages.hpp"
#include "engine/worker/thread_network.hpp"
#include "engine/worker/worker.hpp"

namespace scalesweep::engine {

class LocalWorker {
 public:
  LocalWorker(const store::StudyDescription& study, Evaluator& evaluator,
              const WorkerOptions& options);
  // Ends it, dropping what is unfinished.
  ~LocalWorker();
  LocalWorker(const LocalWorker&) = delete;
  LocalWorker& operator=(const LocalWorker&) = delete;

  void start();
  bool started() const { return thread_.joinable(); }
  void send(const Order& order);  // nothing before start()
  std::optional<RankReport> receive(double timeout_seconds);
  // Ends it and waits for that.
  void end();

 private:
  ThreadNetwork network_{2};
  std::unique_ptr<Transport> here_ = network_.endpoint(0);
  std::unique_ptr<Transport> there_ = network_.endpoint(1);
  Worker worker_;
  std::thread thread_;
};

}  // namespace scalesweep::engine
