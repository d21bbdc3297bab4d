#include "engine/master/master_run.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <new>
#include <system_error>

#include "core/host/processors.hpp"
#include "core/host/system_problem.hpp"
#include "core/text.hpp"
#include "engine/beside.hpp"
#include "engine/free_space.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::engine {
namespace {

constexpr double local_wait_seconds = 0.05;
constexpr double remote_wait_seconds = 0.02;
// In one go, so that others are looked after as well however many ranks speak.
constexpr int most_messages = 1000;
constexpr double space_interval_seconds = 1.0;
// A merge stops within a fraction of a second; this is for what comes after it.
constexpr double merge_margin_seconds = 1.0;
constexpr double merge_margin_part = 0.05;
constexpr std::chrono::milliseconds merge_poll_interval(1);

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

double thread_cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

MasterRun::MasterRun(Transport& transport, const store::StudyDescription& study,
                     Evaluator& evaluator, const RunOptions& options, const WorkerOptions& local)
    : transport_(transport),
      study_(study),
      evaluator_(evaluator),
      options_(options),
      pace_(pace_of(transport.size(), options)),
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
  } catch (const std::system_error& error) {
    code = ExitCode::io;
    why = system_problem(error);
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
  expect_room();
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
  if (!master_->complete()) {
    report_.exit = ExitCode::resumable;
  } else if (!options_.shard) {
    merge();
  }
  report_.wall_seconds = now_s() - start_s_;
  report_.peak_memory_bytes = std::max(report_.peak_memory_bytes, peak_memory_bytes());
  log_.close(summary());
}

// The ranges that earlier runs left; nothing if nothing is left to do.
std::optional<std::vector<IdRange>> MasterRun::claim() {
  Claim claim;
  const auto note = [this](const std::string& text) { log_.note(text); };
  const auto check = [&] {
    claim = claim_output(options_.output, study_, ids(), note, options_.durability, pass_log());
  };
  beside(check, [this] { keep_alive(); });
  if (claim.report.state == store::OutputState::finished) {
    if (claim.report.layout == store::Layout::by_segment) {
      store::StudyReader rows_are_there(options_.output);  // in segments: throws where one is not
    }
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
    // Of an earlier run with other shards, or none: some reach beyond this one.
    const IdRange inside{std::max(segment.ids.first, ids().first),
                         std::min(segment.ids.last, ids().last)};
    if (!inside.empty()) {
      completed.push_back(inside);
      report_.resumed_points += inside.size();
    }
  }
  if (options_.shard && report_.resumed_points == ids().size()) {
    if (!options_.quiet) {
      log_.note(fmt::format("{}: ids {} to {} are complete already", options_.output.string(),
                            ids().first, ids().last - 1));
    }
    return std::nullopt;
  }
  return completed;
}

IdRange MasterRun::ids() const {
  return options_.shard.value_or(IdRange{0, study_.points});
}

Failure MasterRun::refusal(const store::OutputReport& report) const {
  const bool foreign = report.state == store::OutputState::foreign;
  return Failure(
      ExitCode::cannot_create,
      fmt::format("{}: {}: {}; choose another -o, or remove it yourself", options_.output.string(),
                  foreign ? "is no study of scalesweep" : "is another study", report.detail));
}

void MasterRun::expect_room() {
  const std::int64_t to_do = ids().size() - report_.resumed_points;
  if (!options_.stored_bytes_per_id || to_do == 0) {
    return;
  }
  SpaceQuestion question;
  bytes_per_id_ = options_.stored_bytes_per_id();
  question.bytes_per_id = bytes_per_id_;
  question.ids_to_do = to_do;
  question.ids_of_study = study_.points;
  question.merges = !options_.shard;
  question.layout = options_.layout;
  std::error_code none_there;
  const auto partial =
      std::filesystem::file_size(options_.output.string() + ".partial", none_there);
  question.partial_bytes = none_there ? 0.0 : static_cast<double>(partial);
  const std::optional<double> free = room();
  try {
    if (free) {
      engine::expect_room(options_.output, space_needed(question), *free);
    }
  } catch (const Failure&) {
    if (!options_.shard) {
      store::discard_unstarted(options_.output);  // if there is nothing else in it
    }
    throw;
  }
}

std::optional<double> MasterRun::room() const {
  return options_.free_bytes ? options_.free_bytes()
                             : free_bytes(store::segments_folder(options_.output));
}

void MasterRun::begin(const std::vector<IdRange>& completed) {
  const int ranks = transport_.size();
  MasterOptions master;
  master.scheduler.ids = ids();
  master.scheduler.chunk_rows = chunk_ids(study_, evaluator_);
  master.scheduler.ranks = ranks;
  master.identity = study_.identity;
  master.rank_timeout_seconds = pace_.rank_timeout_seconds;
  std::vector<bool> present(static_cast<std::size_t>(ranks), true);
  present[0] = pace_.master_computes;
  serving_start_s_ = now_s();
  master_.emplace(master, completed, present, serving_start_s_,
                  [this](int rank, const Order& order) { send(rank, order); });
  if (present[0]) {
    local_.start();
  }
}

void MasterRun::serve() {
  const double start_cpu_s = thread_cpu_seconds();
  while (!master_->over()) {
    receive();
    master_->tick(now_s());
    watch();
    note_lost_ranks();
    note_stop();
    if (master_->live_ranks() == 0 && !local_.started()) {
      master_->admit(0, now_s());
      local_.start();
    }
    show_progress();
  }
  note_stop();
  report_.serving_seconds = thread_cpu_seconds() - start_cpu_s;
}

// For what ends a run early: a signal, its time, the room that is left.
void MasterRun::watch() {
  if (transport_.stop_requested()) {
    master_->stop(transport_.size() > 1 ? "signal at rank 0" : "signal");
  }
  const double now = now_s();
  const double limit = options_.time_limit_seconds;
  const double margin =
      draining_seconds(limit, transport_.size(), master_->longest_write_seconds());
  if (std::isfinite(limit) && now - start_s_ > limit - margin) {
    master_->stop(fmt::format("time limit of {}", duration_text(limit)));
  }
  if (bytes_per_id_ > 0.0 && now - space_seen_s_ >= space_interval_seconds) {
    space_seen_s_ = now;
    const double reserve = reserve_bytes(master_->live_ranks(), bytes_per_id_, master_->mean_rate(),
                                         pace_.segment_seconds, static_cast<double>(segment_bytes));
    const std::optional<double> free = room();
    if (free && *free < reserve) {
      master_->stop(fmt::format("only {} are free at {}", with_si_prefix(*free, "B"),
                                store::segments_folder(options_.output).string()));
    }
  }
}

void MasterRun::receive() {
  if (transport_.size() == 1) {
    receive_local(local_wait_seconds);
    return;
  }
  receive_local(0.0);
  double timeout_seconds = remote_wait_seconds;
  int messages = 0;
  while (const std::optional<Message> message = transport_.receive(timeout_seconds)) {
    master_->handle(message->rank, decode_report(message->bytes), now_s());
    timeout_seconds = 0.0;
    if (++messages == most_messages) {
      break;
    }
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
                          lost, transport_.size(), duration_text(pace_.rank_timeout_seconds)));
  }
  lost_ranks_ = lost;
}

void MasterRun::note_stop() {
  if (!stop_noted_ && !master_->stop_reason().empty() && !master_->failure()) {
    stop_noted_ = true;
    if (!options_.quiet) {
      log_.note(
          fmt::format("stopping: {}; what is under way is written first", master_->stop_reason()));
    }
  }
}

void MasterRun::show_progress() {
  ProgressState state;
  state.done = master_->evaluated_points();
  state.total = ids().size();
  state.earlier = report_.resumed_points;
  const double now = now_s();
  state.elapsed_seconds = now - serving_start_s_;
  const double best = master_->totals().best_objective;
  state.best = options_.most_is_best ? -best : best;
  state.best_units = options_.objective_units;
  log_.update(state, now);
}

void MasterRun::account() {
  const RankTotals totals = master_->totals();
  report_.lost_ranks = master_->lost_ranks();
  report_.points = master_->completed_points() - report_.resumed_points;
  report_.skipped_points = totals.skipped;
  report_.segments = totals.segments;
  report_.evaluate_seconds = totals.evaluate_seconds;
  report_.write_seconds = totals.write_seconds;
  report_.peak_memory_bytes = totals.peak_memory_bytes;
  report_.serve_seconds = now_s() - serving_start_s_;
}

void MasterRun::merge() {
  const double start_s = now_s();
  const double limit = options_.time_limit_seconds;
  const double end_s = start_s_ + limit - std::min(merge_margin_seconds, merge_margin_part * limit);
  signal_elsewhere_ = master_->stop_reason().starts_with("signal");
  store::FinishOptions options;
  options.layout = options_.layout;
  options.durability = options_.durability;
  options.stop_requested = [this, end_s] {
    return transport_.stop_requested() || signal_elsewhere_ || now_s() >= end_s;
  };
  options.buffer_bytes = options_.merge_buffer_bytes;
  options.progress = pass_log();
  RankHelpers helpers(merging_ranks());
  store::MergeSharing sharing;
  sharing.ranks = &helpers;
  sharing.threads = transport_.size() > 1 ? share_of_processors(transport_.ranks_here()) : 0;
  store::FinishReport finished;
  beside(
      [&] {
        finished = store::finish(options_.output, study_, evaluator_.select, options, &sharing);
      },
      [&] { serve_merge(helpers); },
      helpers.others() > 0 ? merge_poll_interval : std::chrono::milliseconds(20));
  report_.merge_seconds = now_s() - start_s;
  report_.blocks_merged_elsewhere = sharing.blocks_of_others;
  report_.merged_earlier_bytes = finished.earlier_bytes;
  if (!finished.complete) {
    report_.exit = ExitCode::resumable;
    if (!options_.quiet) {
      const bool time = now_s() >= end_s;
      log_.note(fmt::format("stopping: {} while merging; the same command goes on there",
                            time ? "time limit of " + duration_text(limit) : "signal"));
    }
  }
}

store::PassProgress MasterRun::pass_log() {
  return [this](std::string_view pass, double done) { log_.pass(pass, done, now_s()); };
}

// Of the other ranks those that are not taken for dead.
std::vector<int> MasterRun::merging_ranks() const {
  std::vector<int> ranks = master_->live();
  std::erase(ranks, 0);
  return ranks;
}

// Beside the merge: carries its messages. Any rank may hear a signal.
void MasterRun::serve_merge(RankHelpers& helpers) {
  keep_alive();
  try {
    for (auto& [rank, payload] : helpers.outgoing()) {
      send(rank, {OrderKind::merge, {}, ExitCode::ok, std::move(payload)});
    }
    while (const std::optional<Message> message =
               transport_.size() > 1 ? transport_.receive(0.0) : std::nullopt) {
      const RankReport report = decode_report(message->bytes);
      if (report.kind == ReportKind::stop) {
        signal_elsewhere_ = true;
      } else if (report.kind == ReportKind::merge) {
        helpers.deliver(message->rank, report.payload);
      }
      report_.peak_memory_bytes =
          std::max(report_.peak_memory_bytes, report.totals.peak_memory_bytes);
    }
  } catch (const ConnectionLost&) {
    // The others are not needed any more: what they do not do is done here.
  }
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
  if (now - alive_s_ >= pace_.rank_timeout_seconds / 4.0) {
    alive_s_ = now;
    send_to_others({OrderKind::alive, {}, ExitCode::ok});
  }
}

}  // namespace scalesweep::engine
