#include "store/merge/new_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/names.hpp"
#include "store/read/reader.hpp"
#include "store/segments/stored_study.hpp"
#include "store/segments/study_writer.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

// What is merged is all there is once the segments are gone: it is opened as any reader would, and
// has its rows and texts, before it gets its name. Throws Failure(io).
void expect_readable(const fs::path& path, const StudyDescription& study, const Totals& totals) {
  try {
    const StudyReader reader(path);
    std::vector<std::string> names;
    for (const Column& column : study.schema) {
      names.push_back(column.name);
    }
    const std::int64_t last = std::max<std::int64_t>(totals.rows - 1, 0);
    const bool same_texts = reader.provenance().size() >= study.provenance.size() &&
                            reader.axes().size() == study.axes.size();
    if (reader.rows() != totals.rows || reader.counts().size() != study.count_names.size() ||
        !same_texts) {
      throw Failure(ExitCode::io, "it does not hold what was written");
    }
    reader.read(names, 0, std::min<std::int64_t>(totals.rows, 1));
    reader.read(names, last, totals.rows);
  } catch (const Failure& failure) {
    throw Failure(
        ExitCode::io,
        fmt::format(
            "{}: the file that was written cannot be read back ({}); what it was made of is kept",
            path.string(), failure.what()));
  }
}

}  // namespace

void append_blocks(ChunkFile& file, const ChunkGrid& grid, const StudyDescription& study,
                   const BlockReader& read, const PassProgress& progress) {
  file.go_on_behind({});
  PendingBlock pending;
  for (std::int64_t b = 0; b < grid.blocks(); ++b) {
    read(grid.block(b), pending);
    encode_block(pending, study, grid, {});
    for (const PendingChunk& chunk : pending) {
      file.append(chunk.bytes, chunk.sum);
    }
    tell(progress, "writing rows", b + 1, grid.blocks());
  }
}

void complete_file(ChunkFile& file, const fs::path& output, const ChunkGrid& grid,
                   const StudyDescription& study, const Totals& totals, Durability durability,
                   Existing existing) {
  file.describe(H5F_LIBVER_V18, [&](hid_t id, const ChunkFile::Place& place) {
    StudyWriter writer(id, study, study_format, totals.rows);
    writer.add_columns([&](hid_t group, const Column& column, hid_t type) {
      return create_column(group, column, type, totals.rows, grid.chunk_rows);
    });
    place(writer.datasets());
    writer.close(totals.counts, totals.outcomes);
  });
  if (durability == Durability::synced) {
    file.sync();
  }
  file.close();
  expect_readable(file.path(), study, totals);
  rename_durably(file.path(), output, existing, durability);
}

}  // namespace scalesweep::store
