#include "store/merge/merge.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <system_error>

#include "core/contracts.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "store/hdf5/chunk_file.hpp"
#include "store/merge/merge_journal.hpp"
#include "store/merge/merge_source.hpp"
#include "store/merge/new_file.hpp"
#include "store/read/outcomes.hpp"
#include "store/segments/stored_study.hpp"
#include "store/share/share_blocks.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool stop_requested(const FinishOptions& options) {
  return options.stop_requested && options.stop_requested();
}

std::int64_t file_bytes(const fs::path& path) {
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(path, code);
  return code ? 0 : static_cast<std::int64_t>(bytes);
}

// What is merged into what: a journal of anything else does not count. Without fsync a file may
// lack after a power cut what its journal says, so that only this boot of this machine goes on.
std::string fingerprint(const StudyDescription& study, const std::vector<Segment>& segments,
                        const ChunkGrid& grid, const ChunkFile& file, Durability durability) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}\n", study.identity, format_version, grid.rows,
                  grid.chunk_rows, grid.columns, grid.block_chunks, file.inode());
  for (const Column& column : study.schema) {
    text += column.name + " ";
  }
  for (const Segment& segment : segments) {
    text += fmt::format("\n{} {} {} {}", segment.ids.first, segment.ids.last, segment.rows,
                        file_bytes(segment.path));
  }
  if (durability == Durability::scratch) {
    text += read_file("/proc/sys/kernel/random/boot_id");
  }
  return text;
}

// At most what the merged file will take: values that do not compress, or the segments' bytes.
std::int64_t expected_bytes(const std::vector<Segment>& segments, const StudyDescription& study,
                            const ChunkGrid& grid) {
  constexpr std::int64_t metadata_bytes = std::int64_t{1} << 20;
  constexpr std::int64_t index_bytes = 64;  // per chunk
  const std::int64_t row_bytes = stored_row_bytes(study.schema);
  const auto columns = static_cast<std::int64_t>(grid.columns);
  const std::int64_t plain = grid.chunks() * (grid.chunk_rows * row_bytes + columns * index_bytes);
  std::int64_t stored = 0;
  for (const Segment& segment : segments) {
    stored += file_bytes(segment.path);
  }
  return std::min(plain, stored + grid.chunks() * columns * index_bytes) + metadata_bytes;
}

void check_room(const fs::path& partial, std::int64_t needed, std::int64_t there) {
  struct statvfs status = {};
  if (::statvfs(parent_folder(partial).c_str(), &status) != 0) {
    return;  // writing will tell
  }
  const auto free = static_cast<std::int64_t>(status.f_bavail * status.f_frsize);
  if (needed - there > free) {
    throw NoRoom(fmt::format("{}: merging needs {} more, and {} are free{}", partial.string(),
                             with_si_prefix(static_cast<double>(needed - there), "B"),
                             with_si_prefix(static_cast<double>(free), "B"), way_out(ENOSPC)));
  }
}

// Takes up an earlier merge where the journal says it was, as far as it can be believed.
std::int64_t take_up(ChunkFile& file, MergeJournal& journal, const ChunkGrid& grid,
                     Durability durability, FinishReport& report) {
  ChunkSums chunks;
  for (const JournalEntry& entry : journal.entries()) {
    const ChunkBlock block = grid.block(entry.block);
    if (entry.block >= grid.blocks() ||
        entry.chunks.size() != static_cast<std::size_t>(block.last - block.first) * grid.columns) {
      chunks.clear();
      journal.forget_entries();
      break;
    }
    chunks.insert(chunks.end(), entry.chunks.begin(), entry.chunks.end());
  }
  if (!file.holds(chunks)) {
    chunks.clear();
    journal.forget_entries();
  }
  for (const JournalEntry& entry : journal.entries()) {
    report.copied_bytes += entry.copied_bytes;
    report.earlier_bytes += entry.copied_bytes;
    report.encoded_rows += entry.encoded_rows;
  }
  file.go_on_behind(std::move(chunks));
  journal.begin(durability);
  return static_cast<std::int64_t>(journal.entries().size());
}

// Blocks from `first` on. False if it was stopped; the journal then says where.
bool copy_blocks(ChunkFile& file, MergeJournal& journal, const ChunkGrid& grid,
                 const StudyDescription& study, const std::vector<Segment>& segments,
                 const FinishOptions& options, std::int64_t first, FinishReport& report) {
  SegmentSource source(sources_of(segments), study, grid);
  PendingBlock pending;
  Clock::time_point committed = Clock::now();
  const auto commit = [&] {
    if (options.durability == Durability::synced) {
      file.sync();
    }
    journal.commit(options.durability);
    committed = Clock::now();
  };
  for (std::int64_t b = first; b < grid.blocks(); ++b) {
    if (stop_requested(options)) {
      commit();
      return false;
    }
    source.read(grid.block(b), pending);
    encode_block(pending, study, grid, source.segments());
    for (const PendingChunk& chunk : pending) {
      file.append(chunk.bytes, chunk.sum);
    }
    const JournalEntry entry = entry_of(b, grid, pending);
    journal.append(entry);
    report.copied_bytes += entry.copied_bytes;
    report.encoded_rows += entry.encoded_rows;
    if (std::chrono::duration<double>(Clock::now() - committed).count() >=
        options.checkpoint_seconds) {
      commit();
    }
    tell(options.progress, "merging segments", b + 1, grid.blocks());
  }
  return true;
}

FinishReport merge_segments(const fs::path& output, const StudyDescription& study,
                            const std::vector<Segment>& segments, const FinishOptions& options,
                            Existing existing, MergeSharing* sharing) {
  const Totals totals = total_of(segments, study);
  const ChunkGrid grid = merged_grid(study, totals.rows, options);
  ChunkFile file(partial_name(output), grid);
  MergeJournal journal(segments_folder(output) / journal_name,
                       fingerprint(study, segments, grid, file, options.durability));
  FinishReport report;
  const std::int64_t first = take_up(file, journal, grid, options.durability, report);
  check_room(file.path(), expected_bytes(segments, study, grid), file.chunk_bytes());
  const bool shares =
      sharing != nullptr && sharing->ranks->others() > 0 && grid.blocks() - first > 1;
  report.complete = shares
                        ? share_blocks(file, journal, {output, study, segments, grid, first},
                                       options, *sharing, report)
                        : copy_blocks(file, journal, grid, study, segments, options, first, report);
  if (report.complete) {
    complete_file(file, output, grid, study, totals, options.durability, existing);
  }
  return report;
}

// What a selector leaves is small; a merge of it begins anew.
FinishReport merge_table(const fs::path& output, const StudyDescription& study, const Table& rows,
                         Totals totals, const FinishOptions& options, Existing existing) {
  totals.rows = static_cast<std::int64_t>(rows.rows());
  const ChunkGrid grid = grid_of(study, totals.rows, options.buffer_bytes);
  ChunkFile file(partial_name(output), grid);
  append_blocks(file, grid, study, read_table(rows, study, grid));
  complete_file(file, output, grid, study, totals, options.durability, existing);
  FinishReport report;
  report.encoded_rows = totals.rows;
  return report;
}

}  // namespace

Totals total_of(const std::vector<Segment>& segments, const StudyDescription& study) {
  Totals totals;
  totals.counts = zero_counts(study);
  for (const Segment& segment : segments) {
    totals.rows += segment.rows;
    std::transform(totals.counts.begin(), totals.counts.end(), segment.counts.begin(),
                   totals.counts.begin(), std::plus<>());
  }
  totals.outcomes = sum_of_outcomes(segments);
  return totals;
}

ChunkGrid merged_grid(const StudyDescription& study, std::int64_t rows,
                      const FinishOptions& options) {
  constexpr std::int64_t blocks = 64;
  constexpr std::int64_t least_bytes = std::int64_t{1} << 23;
  const std::int64_t row_bytes = stored_row_bytes(study.schema);
  const std::int64_t wanted = std::max(rows * row_bytes / blocks, least_bytes);
  return grid_of(study, rows, std::min(wanted, options.buffer_bytes));
}

std::optional<Table> select_rows(const std::vector<Segment>& segments,
                                 const StudyDescription& study, const RowSelector& selector,
                                 const FinishOptions& options) {
  const auto group_rows = static_cast<std::size_t>(
      std::max(options.buffer_bytes / row_bytes(study.schema), std::int64_t{1}));
  Table table(study.schema);
  std::size_t chosen = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (stop_requested(options)) {
      return std::nullopt;
    }
    const Segment& segment = segments[s];
    with_segment(segment.path,
                 [&] { SegmentFile(segment.path, segment.ids, study).append_to(table); });
    // Not before as much has come as stayed, or many chosen rows would be looked at again and
    // again.
    const bool enough = table.rows() - chosen >= std::max(group_rows, chosen);
    if (enough || s + 1 == segments.size()) {
      std::vector<std::size_t> kept = selector(table);
      std::sort(kept.begin(), kept.end());
      table.select(kept);
      chosen = table.rows();
    }
    tell(options.progress, "choosing rows", s + 1, segments.size());
  }
  return table;
}

FinishReport merge(const fs::path& output, const StudyDescription& study,
                   const std::vector<Segment>& segments, const std::optional<RowSelector>& selector,
                   const FinishOptions& options, Existing existing, MergeSharing* sharing) {
  try {
    if (!selector) {
      return merge_segments(output, study, segments, options, existing, sharing);
    }
    const std::optional<Table> rows = select_rows(segments, study, *selector, options);
    if (!rows) {
      return {.complete = false};
    }
    return merge_table(output, study, *rows, total_of(segments, study), options, existing);
  } catch (const NoRoom&) {
    // The segments are what counts, and others need the disk. After any other failure the same call
    // goes on where it was.
    discard_merge(output);
    throw;
  }
}

}  // namespace scalesweep::store
