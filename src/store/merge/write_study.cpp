#include "store/merge/write_study.hpp"

#include <fmt/format.h>

#include <system_error>

#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/new_file.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t block_bytes = std::int64_t{1} << 25;

void expect_free(const fs::path& output) {
  for (const fs::path& path : {output, segments_folder(output)}) {
    if (fs::exists(fs::symlink_status(path))) {
      throw Failure(
          ExitCode::cannot_create,
          fmt::format("{} is there already; move it or choose another name", path.string()));
    }
  }
}

// Removes an unfinished file, whatever ends the writing of it.
class Leftover {
 public:
  explicit Leftover(fs::path path) : path_(std::move(path)) {}
  ~Leftover() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  fs::path path_;
};

}  // namespace

void write_study(const fs::path& output, const NewStudy& study, const RowSource& rows,
                 Durability durability, const PassProgress& progress) {
  const StudyDescription& description = study.description;
  SCALESWEEP_EXPECT(is_well_formed(description));
  expect_free(output);
  h5::quiet();
  const ChunkGrid grid = grid_of(description, study.rows, block_bytes);
  const Leftover leftover(temporary_name(output));
  ChunkFile file(temporary_name(output), grid);
  const BlockReader read = [&](ChunkBlock block, PendingBlock& chunks) {
    const RowRange range{grid.first_row(block.first), grid.last_row(block.last - 1)};
    const Table table = rows(range);
    SCALESWEEP_ASSERT(table.rectangular() &&
                      static_cast<std::int64_t>(table.rows()) == range.last - range.first);
    take_chunks(table, range.first, description, grid, block, chunks);
  };
  append_blocks(file, grid, description, read, progress);
  complete_file(file, output, grid, description, {study.rows, study.counts, {}}, durability,
                Existing::keep);
}

}  // namespace scalesweep::store
