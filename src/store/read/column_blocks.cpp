#include "store/read/column_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "core/contracts.hpp"
#include "store/hdf5/chunk_codec.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/hdf5/hdf5_lock.hpp"
#include "store/read/block_source.hpp"
#include "store/seal/open.hpp"
#include "store/versions/former_texts.hpp"

namespace scalesweep::store {
namespace {

constexpr std::int64_t rows_without_chunks = 16384;

// The dataset of a column in one part, opened where it is not open already.
class StoredColumn {
 public:
  StoredColumn(const std::filesystem::path& path, const std::vector<h5::Hid>& open,
               std::size_t column, const std::string& name)
      : file_(open.empty() ? open_again(path) : h5::Hid()),
        own_(file_ ? open_column(file_.get(), name) : h5::Hid()),
        dataset_(file_ ? own_.get() : open[column].get()) {}
  hid_t dataset() const { return dataset_; }

 private:
  h5::Hid file_;
  h5::Hid own_;
  hid_t dataset_;
};

// Whether equal bytes are equal values of both.
bool are_stored_alike(const Column& one, const Column& other) {
  const bool same_numbers =
      one.numbers && other.numbers ? *one.numbers == *other.numbers : one.numbers == other.numbers;
  return one.type == other.type && same_numbers;
}

}  // namespace

StoredBlocks::StoredBlocks(Schema columns, const std::vector<StoredRows>& stored)
    : schema(std::move(columns)) {
  for (const StoredRows& rows : stored) {
    Part part{rows.path, rows.rows, {}, rows_without_chunks, true};
    with_study(rows.path, ExitCode::io, [&] {
      const h5::Hid own = rows.file < 0 ? open_again(rows.path) : h5::Hid();
      const hid_t file = rows.file < 0 ? own.get() : rows.file;
      for (const Column& column : schema) {
        part.datasets.push_back(open_column(file, column.name));
        const hid_t dataset = part.datasets.back().get();
        const std::int64_t chunk_rows = shape_of(dataset, column.name).chunk_rows;
        part.encoded_as_ours = part.encoded_as_ours && chunk_rows > 0 &&
                               (part.datasets.size() == 1 || chunk_rows == part.block_rows) &&
                               has_our_filters(dataset, column.name);
        part.block_rows = part.encoded_as_ours ? chunk_rows : rows_without_chunks;
      }
      if (own) {
        part.datasets.clear();
      }
    });
    for (std::int64_t first = rows.rows.first; first < rows.rows.last; first += part.block_rows) {
      blocks.push_back({parts.size(), {first, std::min(first + part.block_rows, rows.rows.last)}});
    }
    parts.push_back(std::move(part));
  }
}

// Leaves `chunk` empty where HDF5 had to give the values themselves.
void StoredBlocks::load_column(const Part& part, std::size_t column, const Block& block,
                               std::vector<std::uint8_t>& chunk, void* values) {
  const h5::LibraryTurn turn;
  chunk.clear();
  if (part.encoded_as_ours) {
    load_chunk(part, column, block, chunk);
  }
  if (chunk.empty()) {
    const StoredColumn stored(part.path, part.datasets, column, schema[column].name);
    read_rows(stored.dataset(), schema[column], block.rows.first - part.rows.first,
              block.rows.last - part.rows.first, values);
  }
}

void StoredBlocks::load_chunk(const Part& part, std::size_t column, const Block& block,
                              std::vector<std::uint8_t>& chunk) const {
  const StoredColumn stored(part.path, part.datasets, column, schema[column].name);
  load_encoded_chunk(stored.dataset(), schema[column].name, block.rows.first - part.rows.first,
                     chunk);
}

ColumnBlocks::ColumnBlocks(std::unique_ptr<StoredBlocks> stored) : stored_(std::move(stored)) {}
ColumnBlocks::~ColumnBlocks() = default;
ColumnBlocks::ColumnBlocks(ColumnBlocks&&) noexcept = default;
ColumnBlocks& ColumnBlocks::operator=(ColumnBlocks&&) noexcept = default;

const Schema& ColumnBlocks::schema() const {
  return stored_->schema;
}
std::size_t ColumnBlocks::size() const {
  return stored_->blocks.size();
}
RowRange ColumnBlocks::rows(std::size_t block) const {
  return stored_->blocks[block].rows;
}

Table ColumnBlocks::read(std::size_t number) const {
  std::vector<std::size_t> all(stored_->schema.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return read(number, all);
}

Table ColumnBlocks::read(std::size_t number, const std::vector<std::size_t>& columns) const {
  SCALESWEEP_EXPECT(number < size());
  const StoredBlocks::Block& block = stored_->blocks[number];
  const StoredBlocks::Part& part = stored_->parts[block.part];
  const auto rows = static_cast<std::size_t>(block.rows.last - block.rows.first);
  Schema schema;
  for (const std::size_t column : columns) {
    schema.push_back(stored_->schema[column]);
  }
  Table table(schema);
  table.resize(rows);
  std::vector<std::uint8_t> chunk;
  ChunkDecoder decoder;
  std::vector<double> numbers;
  with_study(part.path, ExitCode::io, [&] {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& column = schema[c];
      stored_->load_column(part, columns[c], block, chunk, table.data(c));
      if (chunk.empty()) {
        continue;
      }
      numbers.resize(column.numbers ? rows : 0);
      const std::size_t width = stored_bytes(column);
      void* const stored = column.numbers ? numbers.data() : table.data(c);
      const std::span<std::uint8_t> values(static_cast<std::uint8_t*>(stored), rows * width);
      if (!checksum_holds(chunk) ||
          !decoder.decode(chunk, width, static_cast<std::size_t>(part.block_rows), values)) {
        throw damaged_chunk(column.name, block.rows.first - part.rows.first);
      }
      if (column.numbers) {
        take_numbers(column, numbers, table.data(c));
      }
    }
  });
  return table;
}

bool ColumnBlocks::is_stored_as_in(const ColumnBlocks& other, std::size_t number) const {
  SCALESWEEP_EXPECT(number < size() && schema().size() == other.schema().size());
  if (number >= other.size()) {
    return false;
  }
  const StoredBlocks::Block& block = stored_->blocks[number];
  const StoredBlocks::Block& other_block = other.stored_->blocks[number];
  const StoredBlocks::Part& part = stored_->parts[block.part];
  const StoredBlocks::Part& other_part = other.stored_->parts[other_block.part];
  if (block.rows.first != other_block.rows.first || block.rows.last != other_block.rows.last ||
      part.block_rows != other_part.block_rows || !part.encoded_as_ours ||
      !other_part.encoded_as_ours) {
    return false;
  }
  std::vector<std::uint8_t> chunk;
  std::vector<std::uint8_t> other_chunk;
  for (std::size_t c = 0; c < schema().size(); ++c) {
    if (!are_stored_alike(schema()[c], other.schema()[c])) {
      return false;
    }
    {
      const h5::LibraryTurn turn;
      with_study(part.path, ExitCode::io, [&] { stored_->load_chunk(part, c, block, chunk); });
      with_study(other_part.path, ExitCode::io,
                 [&] { other.stored_->load_chunk(other_part, c, other_block, other_chunk); });
    }
    if (chunk.empty() || chunk != other_chunk) {
      return false;
    }
    with_study(part.path, ExitCode::io, [&] {
      if (!checksum_holds(chunk)) {
        throw damaged_chunk(schema()[c].name, block.rows.first - part.rows.first);
      }
    });
  }
  return true;
}

}  // namespace scalesweep::store
