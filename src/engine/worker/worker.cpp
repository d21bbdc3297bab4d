#include "engine/worker/worker.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

#include "core/contracts.hpp"
#include "core/host/system_problem.hpp"
#include "core/text.hpp"
#include "engine/beside.hpp"
#include "engine/master/pace.hpp"
#include "store/merge/compact.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::engine {
namespace {

// Long enough that looking for messages costs nothing, short enough to stop within mpirun's grace
// of one second and to keep the master informed.
constexpr double block_seconds = 0.03;
constexpr std::int64_t block_growth = 4;
// A block of fewer points may last, since one of them may be a whole search: it is evaluated beside
// this thread, which answers meanwhile. Of others a thread each would cost more than it is worth.
constexpr std::int64_t many_points = 256;
// A lease is asked for when so much of the one before is left; the answer takes milliseconds.
constexpr double ask_seconds = 0.1;
constexpr double merge_poll_seconds = 1e-3;
// Rows of a lease, in memory; copying the chunks of more would take too long to answer meanwhile.
constexpr std::int64_t most_compacted_bytes = std::int64_t{256} << 20U;

// HDF5 serves one thread at a time, and in tests ranks are threads of one process.
std::mutex store_mutex;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Worker::Worker(Transport& transport, const store::StudyDescription& study, Evaluator& evaluator,
               const WorkerOptions& options)
    : transport_(transport),
      study_(study),
      evaluator_(evaluator),
      chunk_ids_(engine::chunk_ids(study, evaluator)),
      options_(options) {
  SCALESWEEP_EXPECT(transport.rank() != 0);
}

ExitCode Worker::run() {
  heard_s_ = now_s();
  reported_s_ = heard_s_;
  RankReport hello;
  hello.kind = ReportKind::hello;
  hello.text = study_.identity;
  transport_.send(0, encode(hello));
  while (!end_) {
    if (writing_ && (stopping_ || leases_.empty())) {
      guarded([&] { finish_writing(); });
      continue;
    }
    if (stopping_) {
      leases_.clear();
      if (!said_stopped_) {
        report(ReportKind::stopped);
        said_stopped_ = true;
      }
    } else if (!leases_.empty()) {
      const IdRange lease = leases_.front();
      leases_.pop_front();
      guarded([&] { work(lease); });
      continue;
    } else if (!asked_) {
      report(ReportKind::request);
      asked_ = true;
    }
    const double idle_s =
        std::min(options_.report_interval_seconds, options_.master_timeout_seconds / 4.0);
    attend(merging_ && merging_->is_busy() ? merge_poll_seconds : idle_s);
  }
  return *end_;
}

void Worker::guarded(const std::function<void()>& work) {
  try {
    work();
    return;
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Failure& failure) {
    report_failure(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    report_failure(ExitCode::io,
                   "out of memory; fewer ranks per machine, or shorter segments, "
                   "need less");
  } catch (const std::system_error& error) {
    report_failure(ExitCode::io, system_problem(error));
  } catch (const std::exception& error) {
    report_failure(ExitCode::internal,
                   std::string("internal error, please report it: ") + error.what());
  }
  writing_.reset();  // waits for it; what is on the disk the next run finds
  stopping_ = true;
  said_stopped_ = true;
}

void Worker::work(IdRange lease) {
  lock_output();
  Unwritten part = begin_segment(lease.first);
  Written written;
  may_be_given_up_ = false;
  PointId next = lease.first;
  while (next < lease.last && !stopping_ && !end_) {
    const IdRange block = next_block(next, lease.last);
    evaluate(block, part.result);
    next = block.last;
    if (next % chunk_ids_ == 0 || next == lease.last) {
      part.end = next;
      part.counts = part.result.counts;
      part.outcomes = part.result.outcomes;
      if (next < lease.last && is_due(part)) {
        begin_writing(std::move(part), written, std::nullopt);
        part = begin_segment(next);
      }
    }
    ask_early(lease.last - next);
    attend(0.0);
    if (writing_ &&
        writing_->seconds.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      finish_writing();
    }
  }
  if (end_ || part.end == part.first) {
    return;
  }
  const bool whole = part.end == lease.last && !stopping_;
  begin_writing(std::move(part), written, whole ? std::optional(lease) : std::nullopt);
}

void Worker::lock_output() {
  if (options_.keeps_lock && !lock_) {
    lock_ = join_output(options_.output, options_.locks);
  }
}

Worker::Unwritten Worker::begin_segment(PointId first) const {
  const store::Counts zero = store::zero_counts(study_);
  return {first, first,   zero,
          {},    now_s(), RangeResult{store::Table(study_.schema), zero, totals_.best_objective}};
}

// Called where all of it is whole chunks.
bool Worker::is_due(Unwritten& part) const {
  if (now_s() - part.since_s >= options_.segment_seconds) {
    return true;
  }
  const auto held = [&] {
    return static_cast<std::int64_t>(part.result.rows.rows()) * row_bytes(study_.schema);
  };
  if (held() < segment_bytes) {
    return false;
  }
  if (evaluator_.reduce) {
    evaluator_.reduce(part.result);
  }
  return held() >= segment_bytes / 2;
}

// Blocks end at chunks, so that the front of a lease can be written alone.
IdRange Worker::next_block(PointId first, PointId lease_end) const {
  const PointId chunk_end = (first / chunk_ids_ + 1) * chunk_ids_;
  return {first, std::min({first + block_points_, chunk_end, lease_end})};
}

void Worker::evaluate(IdRange block, RangeResult& result) {
  const double start_s = now_s();
  const std::int64_t skipped_before = result.skipped;
  if (block.size() < many_points) {
    beside([&] { evaluator_.evaluate(block, result); }, [this] { attend(0.0); });
  } else {
    evaluator_.evaluate(block, result);
  }
  const double seconds = now_s() - start_s;
  totals_.evaluate_seconds += seconds;
  totals_.evaluated += block.size();
  totals_.skipped += result.skipped - skipped_before;
  totals_.best_objective = std::min(totals_.best_objective, result.best_objective);
  if (seconds > 0.0) {
    rate_ = static_cast<double>(block.size()) / seconds;
  }
  const double wanted = rate_ * block_seconds;
  const auto most = static_cast<double>(block_points_ * block_growth);
  block_points_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(wanted, most)));
}

namespace {

// Rows of the whole chunks of a segment. By id, not by how many there were: an evaluator may have
// dropped some of them since.
void cut_rows(store::Table& rows, PointId end) {
  const std::vector<std::int64_t>& ids = rows.values<std::int64_t>(0);
  const auto whole = std::lower_bound(ids.begin(), ids.end(), end);
  rows.resize(static_cast<std::size_t>(whole - ids.begin()));
}

}  // namespace

// What evaluates goes on meanwhile. With the last segment of a whole lease, one file takes the
// place of all of them where there are many.
void Worker::begin_writing(Unwritten part, Written& written, std::optional<IdRange> whole_lease) {
  finish_writing();  // of the one before
  const IdRange ids = {part.first, part.end};
  RangeResult& result = part.result;
  cut_rows(result.rows, part.end);
  result.counts = std::move(part.counts);
  result.outcomes = std::move(part.outcomes);
  if (evaluator_.reduce) {
    evaluator_.reduce(result);
  }
  ++written.segments;
  written.bytes += static_cast<std::int64_t>(result.rows.rows()) * row_bytes(study_.schema);
  if (!should_compact(written)) {
    whole_lease.reset();
  }
  auto write = [this, ids, whole_lease, segment = std::move(result)] {
    const double start_s = now_s();
    const std::lock_guard one_at_a_time(store_mutex);
    store::write_segment(options_.output, study_, ids, segment.rows, segment.counts,
                         options_.durability, segment.outcomes);
    if (whole_lease) {
      try {
        store::compact_segments(options_.output, study_, *whole_lease, evaluator_.select,
                                options_.durability);
      } catch (const Failure&) {
        // The segments are as good as one. What is wrong with the disk, the next one will tell.
      }
    }
    return now_s() - start_s;
  };
  writing_.emplace(Writing{ids, std::async(std::launch::async, std::move(write))});
}

// Fewer files to open at the end. Large ones are few already.
bool Worker::should_compact(const Written& written) const {
  return written.segments >= 2 && written.bytes <= most_compacted_bytes &&
         written.bytes / written.segments <= segment_bytes / 2 && !may_be_given_up_ &&
         now_s() - reported_s_ <= options_.master_timeout_seconds / 2.0;
}

// Attends to messages until it is on the disk. Then alone it is reported: when all is reported the
// master merges, and nobody may touch the segments any more.
void Worker::finish_writing() {
  if (!writing_) {
    return;
  }
  while (writing_->seconds.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
    attend(0.0);
  }
  Writing written = std::move(*writing_);
  writing_.reset();
  totals_.write_seconds += written.seconds.get();
  ++totals_.segments;
  if (!end_) {
    report(ReportKind::completed, written.ids);
  }
}

void Worker::ask_early(std::int64_t points_left) {
  const bool soon = rate_ > 0.0 && static_cast<double>(points_left) < ask_seconds * rate_;
  if (soon && !asked_ && !stopping_ && leases_.empty()) {
    report(ReportKind::request);
    asked_ = true;
  }
}

// Takes all messages that are there, after waiting for the first; says what is due.
void Worker::attend(double timeout_seconds) {
  while (const std::optional<Message> message = transport_.receive(timeout_seconds)) {
    take(decode_order(message->bytes));
    timeout_seconds = 0.0;
  }
  report_merged();
  const double now = now_s();
  if (transport_.stop_requested() && !said_stop_) {
    report(ReportKind::stop);
    said_stop_ = true;
  } else if (now - reported_s_ >= options_.report_interval_seconds) {
    report(ReportKind::progress);
  }
  if (now - heard_s_ > options_.master_timeout_seconds) {
    throw ConnectionLost("no word from rank 0 for " +
                         duration_text(options_.master_timeout_seconds) +
                         "; it is taken for dead, and the same command goes on");
  }
}

void Worker::take(const Order& order) {
  heard_s_ = now_s();
  switch (order.kind) {
    case OrderKind::lease:
      leases_.push_back(order.ids);
      asked_ = false;
      break;
    case OrderKind::alive:
      break;
    case OrderKind::stop:
      stopping_ = true;
      break;
    case OrderKind::end:
      end_ = order.code;
      break;
    case OrderKind::merge:
      merge(order);
      break;
  }
}

// What goes wrong concerns the block alone: the master does it itself, and learns there what ends
// the run.
void Worker::merge(const Order& order) {
  store::MergeOrder what = store::decode_merge_order(order.payload);
  try {
    lock_output();
    if (!merging_) {
      merging_.emplace(study_, store::MergeHelperOptions{options_.output, options_.durability,
                                                         options_.merge_threads});
    }
    merging_->order(std::move(what));
  } catch (const std::exception& error) {
    store::MergeReply reply;
    reply.block = what.block;
    reply.why = error.what();
    send_merged(reply);
  }
}

void Worker::report_merged() {
  if (merging_) {
    for (const store::MergeReply& reply : merging_->replies()) {
      send_merged(reply);
    }
  }
}

void Worker::send_merged(const store::MergeReply& reply) {
  totals_.peak_memory_bytes = peak_memory_bytes();
  transport_.send(0, encode(RankReport{
                         ReportKind::merge, {}, totals_, ExitCode::ok, "", store::encode(reply)}));
}

void Worker::report(ReportKind kind, IdRange ids) {
  totals_.peak_memory_bytes = peak_memory_bytes();
  transport_.send(0, encode(RankReport{kind, ids, totals_, ExitCode::ok, ""}));
  const double now = now_s();
  may_be_given_up_ |= now - reported_s_ > options_.master_timeout_seconds / 2.0;
  reported_s_ = now;
}

void Worker::report_failure(ExitCode code, const std::string& text) {
  transport_.send(0, encode(RankReport{ReportKind::failed, {}, totals_, code, text}));
}

std::int64_t peak_memory_bytes() {
  // VmHWM is of this program; ru_maxrss may still be that of the shell it was forked from.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoll(line.substr(6)) * 1024;
    }
  }
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace scalesweep::engine
