#include "store/share/merge_helper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/failure.hpp"
#include "store/hdf5/chunk_file.hpp"
#include "store/hdf5/hdf5_lock.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/merge_source.hpp"
#include "store/seal/descriptor_bytes.hpp"
#include "store/segments/segment.hpp"

namespace scalesweep::store {
namespace {

using Clock = std::chrono::steady_clock;

// The file that is merged into, as a rank that did not create it sees it.
class SharedFile {
 public:
  SharedFile(std::filesystem::path path, std::string mark)
      : path_(std::move(path)),
        mark_(std::move(mark)),
        descriptor_(::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)) {
    if (descriptor_ < 0 || !has_mark(descriptor_, mark_)) {
      const std::string why =
          descriptor_ < 0 ? std::generic_category().message(errno) : "it is another file here";
      close();
      throw Failure(ExitCode::io, fmt::format("{}: {}", path_.string(), why));
    }
  }
  ~SharedFile() { close(); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const std::string& mark() const { return mark_; }
  void write(std::uint64_t at, const PendingBlock& block) {
    for (const PendingChunk& chunk : block) {
      if (const int error = write_whole(descriptor_, at, chunk.bytes)) {
        store::fail_writing(path_, "cannot write", error);
      }
      at += chunk.bytes.size();
    }
  }
  void sync() {
    if (::fsync(descriptor_) != 0) {
      store::fail_writing(path_, "cannot write", errno);
    }
  }

 private:
  void close() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  std::filesystem::path path_;
  std::string mark_;
  int descriptor_;
};

MergeReply failed(std::int64_t block, const char* why) {
  MergeReply reply;
  reply.kind = MergeReplyKind::failed;
  reply.block = block;
  reply.why = why;
  reply.error = std::current_exception();
  return reply;
}

MergeReply said(MergeReplyKind kind, std::int64_t block) {
  MergeReply reply;
  reply.kind = kind;
  reply.block = block;
  return reply;
}

}  // namespace

class MergeHelper::State {
 public:
  State(const StudyDescription& study, MergeHelperOptions options)
      : study_(study), options_(std::move(options)) {}
  ~State() { close_source(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  MergeReply make(const MergeOrder& order);
  MergeReply place(const MergeOrder& order);
  void drop(std::int64_t block) { made_.erase(block); }
  std::vector<MergeReply> sync();
  bool is_due() const {
    return !unsynced_.empty() &&
           std::chrono::duration<double>(Clock::now() - unsynced_since_).count() >=
               options_.checkpoint_seconds;
  }

 private:
  void open(const MergeOrder& order);
  void close_source() {
    const h5::LibraryTurn turn;
    source_.reset();
  }
  void read(const MergeOrder& order, const ChunkGrid& grid, PendingBlock& block);

  const StudyDescription& study_;
  MergeHelperOptions options_;
  std::optional<SharedFile> file_;
  std::optional<SegmentSource> source_;
  std::map<std::int64_t, PendingBlock> made_;
  std::vector<std::int64_t> unsynced_;  // blocks
  Clock::time_point unsynced_since_;
};

// The file of this merge: a merge that begins anew has a mark of its own.
void MergeHelper::State::open(const MergeOrder& order) {
  if (order.identity != study_.identity) {
    throw Failure(ExitCode::bad_input, "sees another study");
  }
  if (!file_ || file_->mark() != order.mark) {
    file_.reset();
    close_source();
    made_.clear();
    unsynced_.clear();
    file_.emplace(partial_name(options_.output), order.mark);
  }
}

void MergeHelper::State::read(const MergeOrder& order, const ChunkGrid& grid, PendingBlock& block) {
  std::vector<SourceSegment> segments;
  const std::filesystem::path folder = segments_folder(options_.output);
  for (const MergeSource& source : order.sources) {
    segments.push_back({source.ids, folder / segment_name(source.ids), source.rows});
  }
  const h5::LibraryTurn turn;
  if (source_) {
    source_->follow(std::move(segments), order.first_row);
  } else {
    source_.emplace(std::move(segments), study_, grid, order.first_row);
  }
  source_->read(grid.block(order.block), block);
}

MergeReply MergeHelper::State::make(const MergeOrder& order) {
  open(order);
  const ChunkGrid grid{order.rows, order.chunk_rows, study_.schema.size(), order.block_chunks};
  PendingBlock block;
  read(order, grid, block);
  encode_block(block, study_, grid, source_->segments(), options_.threads);
  JournalEntry entry = entry_of(order.block, grid, block);
  made_[order.block] = std::move(block);
  MergeReply reply = said(MergeReplyKind::made, order.block);
  reply.copied_bytes = entry.copied_bytes;
  reply.encoded_rows = entry.encoded_rows;
  reply.chunks = std::move(entry.chunks);
  return reply;
}

MergeReply MergeHelper::State::place(const MergeOrder& order) {
  const auto made = made_.find(order.block);
  if (made == made_.end()) {
    throw Failure(ExitCode::internal, "was not told to make this block");
  }
  const PendingBlock block = std::move(made->second);
  made_.erase(made);
  file_->write(order.at, block);
  if (unsynced_.empty()) {
    unsynced_since_ = Clock::now();
  }
  unsynced_.push_back(order.block);
  return said(MergeReplyKind::put, order.block);
}

std::vector<MergeReply> MergeHelper::State::sync() {
  std::vector<MergeReply> replies;
  const std::vector<std::int64_t> blocks = std::exchange(unsynced_, {});
  try {
    if (options_.durability == Durability::synced && !blocks.empty()) {
      file_->sync();
    }
    for (const std::int64_t block : blocks) {
      replies.push_back(said(MergeReplyKind::durable, block));
    }
  } catch (const Failure& failure) {
    for (const std::int64_t block : blocks) {
      replies.push_back(failed(block, failure.what()));
    }
  }
  return replies;
}

MergeHelper::MergeHelper(const StudyDescription& study, MergeHelperOptions options)
    : state_(std::make_unique<State>(study, std::move(options))) {}
MergeHelper::~MergeHelper() = default;

std::vector<MergeReply> MergeHelper::obey(const MergeOrder& order) {
  try {
    switch (order.kind) {
      case MergeOrderKind::make:
        return {state_->make(order)};
      case MergeOrderKind::place:
        return {state_->place(order)};
      case MergeOrderKind::drop:
        state_->drop(order.block);
        return {};
      case MergeOrderKind::sync:
        return state_->sync();
    }
  } catch (const std::exception& error) {  // out of memory, too: others have more
    state_->drop(order.block);
    return {failed(order.block, error.what())};
  }
  return {};
}

std::vector<MergeReply> MergeHelper::sync_if_due() {
  return state_->is_due() ? state_->sync() : std::vector<MergeReply>{};
}

}  // namespace scalesweep::store
