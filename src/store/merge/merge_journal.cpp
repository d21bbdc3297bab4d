#include "store/merge/merge_journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/hash.hpp"
#include "core/host/files.hpp"
#include "store/hdf5/chunk_codec.hpp"
#include "store/hdf5/names.hpp"
#include "store/seal/descriptor_bytes.hpp"

namespace scalesweep::store {
namespace {

template <typename T>
void put(std::string& text, const T& value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

template <typename T>
bool take(std::string_view& text, T& value) {
  if (text.size() < sizeof value) {
    return false;
  }
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
  return true;
}

std::uint32_t checksum(std::string_view text) {
  return fletcher32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string encoded(const JournalEntry& entry) {
  std::string text;
  put(text, entry.block);
  put(text, entry.copied_bytes);
  put(text, entry.encoded_rows);
  put(text, static_cast<std::uint64_t>(entry.chunks.size()));
  for (const ChunkSum& chunk : entry.chunks) {
    put(text, chunk.bytes);
    put(text, chunk.crc);
  }
  put(text, checksum(text));
  return text;
}

// Takes one entry off the front; nothing if there is no whole one.
std::optional<JournalEntry> take_entry(std::string_view& text) {
  std::string_view rest = text;
  JournalEntry entry;
  std::uint64_t chunks = 0;
  if (!take(rest, entry.block) || !take(rest, entry.copied_bytes) ||
      !take(rest, entry.encoded_rows) || !take(rest, chunks) ||
      chunks > rest.size() / sizeof(ChunkSum)) {
    return std::nullopt;
  }
  entry.chunks.resize(chunks);
  for (ChunkSum& chunk : entry.chunks) {
    take(rest, chunk.bytes);
    take(rest, chunk.crc);
  }
  const std::string_view covered = text.substr(0, text.size() - rest.size());
  std::uint32_t sum = 0;
  if (!take(rest, sum) || sum != checksum(covered)) {
    return std::nullopt;
  }
  text = rest;
  return entry;
}

}  // namespace

void discard_merge(const std::filesystem::path& output) {
  std::error_code ignored;
  std::filesystem::remove(segments_folder(output) / journal_name, ignored);
  std::filesystem::remove(partial_name(output), ignored);
}

MergeJournal::MergeJournal(const std::filesystem::path& path, const std::string& fingerprint)
    : path_(path), fingerprint_(fingerprint) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return;
  }
  std::string text;
  try {
    text = read_file(path);
  } catch (const Failure&) {
    return;
  }
  if (!text.starts_with(head())) {
    return;
  }
  std::string_view rest = std::string_view(text).substr(head().size());
  while (const auto entry = take_entry(rest)) {
    if (entry->block != static_cast<std::int64_t>(entries_.size())) {
      return;
    }
    entries_.push_back(*entry);
  }
}

MergeJournal::~MergeJournal() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

std::string MergeJournal::head() const {
  return fmt::format("scalesweep-merge-2 {}\n", sha256(fingerprint_));
}

void MergeJournal::begin(Durability durability) {
  // Emptied and filled again: what is lost by a crash in between is work, not data.
  descriptor_ = create_afresh(path_);
  if (descriptor_ < 0) {
    fail_writing(path_, "cannot create", errno);
  }
  pending_ = head();
  for (const JournalEntry& entry : entries_) {
    pending_ += encoded(entry);
  }
  commit(durability);
}

void MergeJournal::append(const JournalEntry& entry) {
  pending_ += encoded(entry);
}

void MergeJournal::write_pending() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t put = ::write(descriptor_, rest.data(), rest.size());
    if (put < 0 && errno != EINTR) {
      fail_writing(path_, "cannot write", errno);
    }
    rest.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
  }
  pending_.clear();
}

void MergeJournal::commit(Durability durability) {
  write_pending();
  if (durability == Durability::synced && ::fsync(descriptor_) != 0) {
    fail_writing(path_, "cannot write", errno);
  }
}

}  // namespace scalesweep::store
