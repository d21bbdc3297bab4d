#include "store/merge/compact.hpp"

#include <algorithm>
#include <system_error>

#include "core/contracts.hpp"
#include "store/hdf5/chunk_file.hpp"
#include "store/merge/merge.hpp"
#include "store/merge/merge_source.hpp"
#include "store/segments/output.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t buffer_bytes = std::int64_t{1} << 25;

bool covers_exactly(const std::vector<Segment>& segments, IdRange ids) {
  PointId next = ids.first;
  for (const Segment& segment : segments) {
    if (segment.ids.first != next) {
      return false;
    }
    next = segment.ids.last;
  }
  return next == ids.last;
}

std::int64_t covered_ids(std::vector<Segment> segments) {
  std::int64_t ids = 0;
  for (const Segment& segment : disjoint_cover(std::move(segments))) {
    ids += segment.ids.size();
  }
  return ids;
}

// Segments of an earlier run may reach over an end of `ids`. With the parts gone they may leave ids
// uncovered that they and some of the parts covered together: such parts stay. By the names alone.
bool joining_uncovers(const std::filesystem::path& folder, const std::vector<Segment>& parts,
                      IdRange ids) {
  std::vector<Segment> before;
  std::vector<Segment> after = {{ids, {}, 0, {}}};
  bool any_reaches_over = false;
  for (const ListedSegment& listed : listed_segments(folder)) {
    const bool apart = listed.ids.last <= ids.first || listed.ids.first >= ids.last;
    const bool within = listed.ids.first >= ids.first && listed.ids.last <= ids.last;
    any_reaches_over = any_reaches_over || (!apart && !within);
    const bool is_part =
        within && std::any_of(parts.begin(), parts.end(),
                              [&](const Segment& part) { return part.ids == listed.ids; });
    before.push_back({listed.ids, {}, 0, {}});
    if (!is_part) {
      after.push_back(before.back());
    }
  }
  return any_reaches_over && covered_ids(std::move(after)) < covered_ids(std::move(before));
}

// Whole chunks as they are, like a merge; small enough to begin anew after a crash.
void write_compacted(const fs::path& path, const StudyDescription& study,
                     const std::vector<Segment>& parts, IdRange ids, const Totals& totals,
                     Durability durability) {
  ChunkGrid grid = grid_of(study, totals.rows, buffer_bytes);
  grid.chunk_rows = segment_chunk_rows(study, ids, totals.rows);
  ChunkFile file(temporary_name(path), grid);
  file.go_on_behind({});
  SegmentSource source(sources_of(parts), study, grid);
  PendingBlock pending;
  for (std::int64_t b = 0; b < grid.blocks(); ++b) {
    source.read(grid.block(b), pending);
    encode_block(pending, study, grid, source.segments());
    for (const PendingChunk& chunk : pending) {
      file.append(chunk.bytes, chunk.sum);
    }
  }
  file.describe(H5F_LIBVER_V110, [&](hid_t id, const ChunkFile::Place& place) {
    describe_segment(id, study, {study.identity, ids, totals.rows, totals.counts, totals.outcomes},
                     [&](const std::vector<h5::Hid>& datasets) {
                       std::vector<hid_t> ids_of_columns;
                       for (const h5::Hid& dataset : datasets) {
                         ids_of_columns.push_back(dataset.get());
                       }
                       place(ids_of_columns);
                     });
  });
  if (durability == Durability::synced) {
    file.sync();
  }
  file.close();
  rename_durably(file.path(), path, Existing::replace, durability);
}

// The time of a segment is when its last ids were computed.
void keep_time(const fs::path& path, const std::vector<Segment>& parts) {
  std::error_code ignored;
  fs::file_time_type latest = fs::file_time_type::min();
  for (const Segment& part : parts) {
    latest = std::max(latest, fs::last_write_time(part.path, ignored));
  }
  if (!ignored) {
    fs::last_write_time(path, latest, ignored);
  }
}

}  // namespace

std::optional<Segment> compact_segments(const fs::path& output, const StudyDescription& study,
                                        IdRange ids, const std::optional<RowSelector>& selector,
                                        Durability durability) {
  SCALESWEEP_EXPECT(is_well_formed(study) && !ids.empty() && ids.last <= study.points);
  h5::quiet();
  // What reaches beyond the ids would stay, and must not keep the others out.
  const std::vector<Segment> parts = scan_segments(segments_folder(output), study, Verify::header,
                                                   {.ids = ids, .extent = Extent::within})
                                         .segments;
  if (parts.size() < 2 || !covers_exactly(parts, ids) ||
      joining_uncovers(segments_folder(output), parts, ids)) {
    return std::nullopt;
  }
  return join_segments(output, study, parts, selector, durability);
}

Segment join_segments(const fs::path& output, const StudyDescription& study,
                      const std::vector<Segment>& parts, const std::optional<RowSelector>& selector,
                      Durability durability) {
  const IdRange ids{parts.front().ids.first, parts.back().ids.last};
  Totals totals = total_of(parts, study);
  const fs::path path = segments_folder(output) / segment_name(ids);
  if (selector) {
    FinishOptions options;
    options.buffer_bytes = buffer_bytes;
    const std::optional<Table> rows = select_rows(parts, study, *selector, options);
    totals.rows = static_cast<std::int64_t>(rows->rows());
    write_segment(output, study, ids, *rows, totals.counts, durability, totals.outcomes);
  } else {
    try {
      write_compacted(path, study, parts, ids, totals, durability);
    } catch (const Failure&) {
      std::error_code ignored;
      fs::remove(temporary_name(path), ignored);
      throw;
    }
  }
  keep_time(path, parts);
  // The whole is durable; parts that a crash leaves here cover no more than it does.
  for (const Segment& part : parts) {
    std::error_code ignored;
    fs::remove(part.path, ignored);
  }
  return Segment{ids, path, totals.rows, totals.counts, totals.outcomes};
}

}  // namespace scalesweep::store
