#include "engine/master_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <new>

#include "core/text.hpp"
#include "engine/beside.hpp"

namespace scalesweep::engine {
namespace {

// Up to here rank 0 evaluates too: leaving that out would cost 1/ranks of the rate.
constexpr int default_computing_ranks = 64;
// Of rows that one rank holds before they are written.
constexpr std::int64_t max_lease_bytes = std::int64_t{32} << 20U;
// Many ranks write longer segments, so that a file system sees no more than ten new files a second.
constexpr double segment_seconds_per_rank = 0.1;
constexpr double local_wait_seconds = 0.05;
constexpr double remote_wait_seconds = 0.005;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgressLog::Style style_of(const RunOptions& options) {
  if (options.quiet) {
    return ProgressLog::Style::silent;
  }
  return options.progress_line ? ProgressLog::Style::rewritten_line
                               : ProgressLog::Style::sparse_lines;
}

std::int64_t row_bytes(const store::Schema& schema) {
  std::int64_t bytes = 0;
  for (const store::Column& column : schema) {
    bytes += static_cast<std::int64_t>(store::type_bytes(column.type));
  }
  return std::max<std::int64_t>(bytes, 1);
}

}  // namespace

MasterRun::MasterRun(Transport& transport, const store::StudyDescription& study,
                     Evaluator& evaluator, const RunOptions& options, const WorkerOptions& local)
    : transport_(transport),
      study_(study),
      evaluator_(evaluator),
      options_(options),
      log_(options.log != nullptr ? *options.log : std::cerr, style_of(options)),
      start_s_(now_s()),
      alive_s_(start_s_),
      local_(study, evaluator, local) {
  report_.ranks = transport.size();
}

RunReport MasterRun::run() {
  ExitCode code = ExitCode::internal;
  std::string why;
  try {
    run_to_end();
    send_to_others({OrderKind::end, {}, report_.exit});
    return report_;
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Failure& failure) {
    code = failure.code();
    why = failure.what();
  } catch (const std::bad_alloc&) {
    code = ExitCode::io;
    why = "out of memory";
  } catch (const std::exception& error) {
    why = std::string("internal error, please report it: ") + error.what();
  }
  log_.close("");
  send_to_others({OrderKind::end, {}, code});
  throw RunFailure(code, why);
}

void MasterRun::run_to_end() {
  const std::optional<std::vector<IdRange>> completed = claim();
  if (!completed) {
    report_.already_finished = true;
    return;
  }
  begin(*completed);
  serve();
  local_.end();
  account();
  if (const auto& failure = master_->failure()) {
    const bool kept = failure->code == ExitCode::io && report_.points + report_.resumed_points > 0;
    throw Failure(
        failure->code,
        failure->text + (kept ? "; what was written is kept, and the same command goes on" : ""));
  }
  if (master_->complete()) {
    merge();
  } else {
    report_.exit = ExitCode::resumable;
  }
  report_.wall_seconds = now_s() - start_s_;
  report_.peak_memory_bytes = std::max(report_.peak_memory_bytes, peak_memory_bytes());
  log_.close(summary());
}

// The ranges that earlier runs left; nothing if the study is finished.
std::optional<std::vector<IdRange>> MasterRun::claim() {
  Claim claim;
  const auto note = [this](const std::string& text) { log_.note(text); };
  beside([&] { claim = claim_output(options_.output, study_, note); }, [this] { keep_alive(); });
  if (claim.report.state == store::OutputState::finished) {
    if (!options_.quiet) {
      log_.note(fmt::format("{}: already finished", options_.output.string()));
    }
    return std::nullopt;
  }
  if (!claim.lock) {
    throw refusal(claim.report);
  }
  lock_ = std::move(claim.lock);
  std::vector<IdRange> completed;
  for (const store::Segment& segment : claim.report.segments) {
    completed.push_back(segment.ids);
    report_.resumed_points += segment.ids.size();
  }
  return completed;
}

Failure MasterRun::refusal(const store::OutputReport& report) const {
  const bool foreign = report.state == store::OutputState::foreign;
  return Failure(
      ExitCode::cannot_create,
      fmt::format("{}: {}: {}; choose another -o, or remove it yourself", options_.output.string(),
                  foreign ? "is no study of scalesweep" : "is another study", report.detail));
}

void MasterRun::begin(const std::vector<IdRange>& completed) {
  const int ranks = transport_.size();
  MasterOptions master;
  master.scheduler.points = study_.points;
  master.scheduler.chunk_rows = study_.chunk_rows;
  master.scheduler.ranks = ranks;
  master.scheduler.lease_seconds =
      std::max(options_.segment_seconds, segment_seconds_per_rank * ranks);
  master.scheduler.max_lease_points = max_lease_bytes / row_bytes(study_.schema);
  master.identity = study_.identity;
  master.rank_timeout_seconds = options_.rank_timeout_seconds;
  std::vector<bool> present(static_cast<std::size_t>(ranks), true);
  present[0] = ranks == 1 || ranks <= (options_.master_computes_up_to_ranks > 0
                                           ? options_.master_computes_up_to_ranks
                                           : default_computing_ranks);
  serving_start_s_ = now_s();
  master_.emplace(master, completed, present, serving_start_s_,
                  [this](int rank, const Order& order) { send(rank, order); });
  if (present[0]) {
    local_.start();
  }
}

void MasterRun::serve() {
  while (!master_->over()) {
    receive();
    master_->tick(now_s());
    if (transport_.stop_requested()) {
      master_->stop();
    }
    note_lost_ranks();
    if (master_->live_ranks() == 0 && !local_.started()) {
      master_->admit(0, now_s());
      local_.start();
    }
    show_progress();
  }
}

void MasterRun::receive() {
  if (transport_.size() == 1) {
    receive_local(local_wait_seconds);
    return;
  }
  receive_local(0.0);
  double timeout_seconds = remote_wait_seconds;
  while (const std::optional<Message> message = transport_.receive(timeout_seconds)) {
    master_->handle(message->rank, decode_report(message->bytes), now_s());
    timeout_seconds = 0.0;
  }
}

void MasterRun::receive_local(double timeout_seconds) {
  while (const std::optional<RankReport> report = local_.receive(timeout_seconds)) {
    master_->handle(0, *report, now_s());
    timeout_seconds = 0.0;
  }
}

void MasterRun::note_lost_ranks() {
  const int lost = master_->lost_ranks();
  if (lost > lost_ranks_) {
    log_.note(fmt::format("{} of {} ranks silent for {}: taken for dead, others do their work",
                          lost, transport_.size(), duration_text(options_.rank_timeout_seconds)));
  }
  lost_ranks_ = lost;
}

void MasterRun::show_progress() {
  ProgressState state;
  state.done = master_->evaluated_points();
  state.total = study_.points;
  state.earlier = report_.resumed_points;
  const double now = now_s();
  state.elapsed_seconds = now - serving_start_s_;
  state.best = master_->totals().best_objective;
  state.best_units = options_.objective_units;
  log_.update(state, now);
}

void MasterRun::account() {
  const RankTotals totals = master_->totals();
  report_.lost_ranks = master_->lost_ranks();
  report_.points = master_->completed_points() - report_.resumed_points;
  report_.segments = totals.segments;
  report_.evaluate_seconds = totals.evaluate_seconds;
  report_.write_seconds = totals.write_seconds;
  report_.peak_memory_bytes = totals.peak_memory_bytes;
  report_.serve_seconds = now_s() - serving_start_s_;
}

void MasterRun::merge() {
  const double start_s = now_s();
  beside([this] { store::finish(options_.output, study_, evaluator_.select); },
         [this] { keep_alive(); });
  report_.merge_seconds = now_s() - start_s;
}

std::string MasterRun::summary() const {
  if (report_.points == 0) {
    return "";
  }
  const double rate = static_cast<double>(report_.points) / std::max(report_.serve_seconds, 1e-9);
  return fmt::format("{} points in {}: {}, {} per rank; {} segments; at most {} in one rank",
                     with_thousands(report_.points), duration_text(report_.wall_seconds),
                     rate_text(rate), rate_text(rate / report_.ranks), report_.segments,
                     with_si_prefix(static_cast<double>(report_.peak_memory_bytes), "B"));
}

void MasterRun::send(int rank, const Order& order) {
  if (rank == 0) {
    local_.send(order);
  } else {
    transport_.send(rank, encode(order));
  }
}

void MasterRun::send_to_others(const Order& order) {
  for (int rank = 1; rank < transport_.size(); ++rank) {
    transport_.send(rank, encode(order));
  }
}

// For times when the loop that serves does not run.
void MasterRun::keep_alive() {
  const double now = now_s();
  if (now - alive_s_ >= options_.rank_timeout_seconds / 4.0) {
    alive_s_ = now;
    send_to_others({OrderKind::alive, {}, ExitCode::ok});
  }
}

}  // namespace scalesweep::engine
