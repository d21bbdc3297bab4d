#include "store/merge/write_study.hpp"

#include <fmt/format.h>

#include <system_error>

#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/merge.hpp"
#include "store/merge/new_file.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/seal/open.hpp"
#include "store/segments/stored_study.hpp"
#include "store/versions/former_study.hpp"
#include "store/versions/former_texts.hpp"

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

// Whether its chunks can be the chunks of a file of that grid.
bool has_chunks_of(hid_t dataset, const Column& column, const ChunkGrid& grid) {
  const h5::Hid stored = h5::owned(H5Dget_type(dataset), H5Tclose, "cannot read a type");
  const h5::Hid wanted = file_type(column);
  return H5Tequal(stored.get(), wanted.get()) > 0 && has_our_filters(dataset, column.name) &&
         shape_of(dataset, column.name).chunk_rows == grid.chunk_rows;
}

// The columns of a finished file, as chunks where they can be taken over.
class CopiedColumns {
 public:
  CopiedColumns(const fs::path& input, const StudyDescription& study, const ChunkGrid& grid)
      : input_(input), study_(study), grid_(grid), reader_(input), file_(open_again(input)) {
    for (const Column& column : study.schema) {
      datasets_.push_back(open_column(file_.get(), column.name));
      as_they_lie_ = as_they_lie_ && has_chunks_of(datasets_.back().get(), column, grid);
      names_.push_back(column.name);
    }
  }

  void read(ChunkBlock block, PendingBlock& chunks) {
    const RowRange rows{grid_.first_row(block.first), grid_.last_row(block.last - 1)};
    if (!as_they_lie_) {
      take_chunks(reader_.read(names_, rows.first, rows.last), rows.first, study_, grid_, block,
                  chunks);
      return;
    }
    const auto in_column = static_cast<std::size_t>(block.last - block.first);
    chunks.resize(in_column * grid_.columns);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      chunks[i].encoded = true;
      chunks[i].row = grid_.first_row(block.first + static_cast<std::int64_t>(i % in_column));
      load_encoded_chunk(datasets_[i / in_column].get(), names_[i / in_column], chunks[i].row,
                         chunks[i].bytes);
    }
  }

  const StudyReader& reader() const { return reader_; }

 private:
  fs::path input_;
  const StudyDescription& study_;
  ChunkGrid grid_;
  StudyReader reader_;
  h5::Hid file_;
  std::vector<h5::Hid> datasets_;
  std::vector<std::string> names_;
  bool as_they_lie_ = true;
};

Totals totals_of(const StudyReader& reader, const StudyDescription& study) {
  Totals totals{reader.rows(), {}, outcomes_of(study, reader.outcomes())};
  const std::map<std::string, std::int64_t> counts = reader.counts();
  for (const std::string& name : study.count_names) {
    totals.counts.push_back(counts.at(name));
  }
  for (const StoredHistogram& one : reader.histograms()) {
    totals.counts.insert(totals.counts.end(), one.counts.begin(), one.counts.end());
  }
  return totals;
}

}  // namespace

void copy_study(const fs::path& input, const fs::path& output, const StudyTexts& texts,
                Durability durability, const PassProgress& progress) {
  expect_free(output);
  h5::quiet();
  StudyDescription study = read_description(input);
  if (study.version == 1) {  // which has places of axes alone
    give_axis_numbers(study.schema, study.axes);
  }
  use_present_names(study);
  study.version = format_version;
  const StudyReader reader(input);
  const std::string created = reader.root_attribute("created");
  study.root_attributes = texts.root_attributes;
  for (const char* own : {"format", "identity", "layout", "date_created"}) {
    study.root_attributes.erase(own);
  }
  study.root_attributes["created"] = created;
  study.provenance = texts.provenance;
  const ChunkGrid grid = merged_grid(study, reader.rows(), {});
  const Leftover leftover(temporary_name(output));
  with_study(input, ExitCode::io, [&] {
    CopiedColumns columns(input, study, grid);
    ChunkFile file(temporary_name(output), grid);
    file.go_on_behind({});
    PendingBlock pending;
    const std::vector<SourceSegment> source = {{{0, study.points}, input, reader.rows()}};
    for (std::int64_t b = 0; b < grid.blocks(); ++b) {
      columns.read(grid.block(b), pending);
      encode_block(pending, study, grid, source);
      for (const PendingChunk& chunk : pending) {
        file.append(chunk.bytes, chunk.sum);
      }
      tell(progress, "copying rows", b + 1, grid.blocks());
    }
    complete_file(file, output, grid, study, totals_of(reader, study), durability, Existing::keep);
  });
}

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
