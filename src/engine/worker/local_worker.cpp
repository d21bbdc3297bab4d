#include "engine/worker/local_worker.hpp"

#include "core/contracts.hpp"

namespace scalesweep::engine {

LocalWorker::LocalWorker(const store::StudyDescription& study, Evaluator& evaluator,
                         const WorkerOptions& options)
    : worker_(*there_, study, evaluator, options) {}

LocalWorker::~LocalWorker() {
  end();
}

void LocalWorker::start() {
  SCALESWEEP_EXPECT(!started());
  thread_ = std::thread([this] {
    try {
      worker_.run();
    } catch (const std::exception& error) {
      // Only if this process were stuck for longer than ranks may be silent; others are told why.
      RankReport report;
      report.kind = ReportKind::failed;
      report.code = ExitCode::internal;
      report.text = error.what();
      there_->send(0, encode(report));
    }
  });
}

void LocalWorker::send(const Order& order) {
  if (started()) {
    here_->send(1, encode(order));
  }
}

std::optional<RankReport> LocalWorker::receive(double timeout_seconds) {
  if (const std::optional<Message> message = here_->receive(timeout_seconds)) {
    return decode_report(message->bytes);
  }
  return std::nullopt;
}

void LocalWorker::end() {
  if (started()) {
    send({OrderKind::end, {}, ExitCode::ok});
    thread_.join();
  }
}

}  // namespace scalesweep::engine
