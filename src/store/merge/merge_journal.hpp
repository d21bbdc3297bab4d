// How far a merge has come: which blocks of chunks are in the file, durably. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/hdf5/chunk_file.hpp"

namespace scalesweep::store {

constexpr const char* journal_name = "merge.journal";  // in NAME.h5.d

// What stands in the way of a fresh start: NAME.h5.partial and the journal.
void discard_merge(const std::filesystem::path& output);

// One block of the grid.
struct JournalEntry {
  std::int64_t block = 0;
  std::int64_t copied_bytes = 0;  // of chunks that were taken as they are
  std::int64_t encoded_rows = 0;
  ChunkSums chunks;
};

// The text of a file that only grows: a line that says what is merged, then entries, each under a
// checksum; what follows a damaged one does not count.
class MergeJournal {
 public:
  // Reads what is there; empty if it is another merge's or cannot be read.
  MergeJournal(const std::filesystem::path& path, const std::string& fingerprint);
  ~MergeJournal();
  MergeJournal(const MergeJournal&) = delete;
  MergeJournal& operator=(const MergeJournal&) = delete;

  const std::vector<JournalEntry>& entries() const { return entries_; }
  void forget_entries() { entries_.clear(); }
  // From here on it holds entries() and what is appended. Throws Failure(io).
  void begin(Durability durability);
  // What is appended counts after the next commit. Throws Failure(io).
  void append(const JournalEntry& entry);
  void commit(Durability durability);

 private:
  std::string head() const;
  void write_pending();

  std::filesystem::path path_;
  std::string fingerprint_;
  std::vector<JournalEntry> entries_;
  std::string pending_;
  int descriptor_ = -1;
};

}  // namespace scalesweep::store
