// One column as one HDF5 dataset: types, enums, attributes, whole chunks in and slices out.
// Private to src/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "store/hdf5/chunk_codec.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/read/table.hpp"
#include "store/seal/seal.hpp"

namespace scalesweep::store {

// HDF5 keeps the names of an enum in 64 KiB; a column with more stays a plain integer.
bool fits_enum(const Column& column);

// The on-disk type: IEEE or two's complement, little-endian; an enum where the column has labels
// that fit and no numbers.
h5::Hid file_type(const Column& column);

// The types of the columns of a file that others read. Enums have names there, at its root: netCDF
// knows no others. Columns with the same labels share one, named after the first of them.
class NamedTypes {
 public:
  explicit NamedTypes(hid_t file) : file_(file) {}
  // Lives as long as this.
  hid_t type_of(const Column& column);

 private:
  struct Named {
    ColumnType base = ColumnType::u8;
    std::vector<std::string> labels;
    h5::Hid type;
  };
  hid_t file_;
  std::vector<Named> named_;
  std::vector<h5::Hid> others_;
};

// A dataset of `rows` values in chunks of `chunk_rows` with the filters of every column; the
// values are written by ColumnWriter. `type` is as file_type or NamedTypes says.
h5::Hid create_column(hid_t group, const Column& column, hid_t type, std::int64_t rows,
                      std::int64_t chunk_rows);

// long_name and description as attributes, and units, role and better where there are any; of an
// enum its labels as flags of CF as well.
void annotate_column(hid_t dataset, const Column& column);

// Fills a dataset from its start in whole chunks.
class ColumnWriter {
 public:
  // `width`: bytes of a stored value.
  ColumnWriter(h5::Hid dataset, std::string name, std::size_t width, std::int64_t chunk_rows);

  // Stored values as bytes; kept until a chunk is full.
  void append(std::span<const std::uint8_t> values, ChunkEncoder& encoder);
  // Writes what is left as a last chunk, zeros after its end.
  void finish(ChunkEncoder& encoder);
  // What was written, and where it lies in the file.
  void add_chunks_to(std::vector<SealedChunk>& chunks) const;
  hid_t dataset() const { return dataset_.get(); }

 private:
  void write_chunk(std::span<const std::uint8_t> chunk);

  h5::Hid dataset_;
  std::string name_;
  std::size_t width_ = 0;
  std::size_t chunk_bytes_ = 0;
  std::int64_t chunk_rows_ = 0;
  ChunkSums written_;
  std::vector<std::uint8_t> pending_;
};

// The chunk that starts at row `first` as it lies in the file, filters not undone. Throws
// Hdf5Error if its checksum does not hold.
void read_encoded_chunk(hid_t dataset, const std::string& name, std::int64_t first,
                        std::vector<std::uint8_t>& chunk);
// The same without comparing the checksum.
void load_encoded_chunk(hid_t dataset, const std::string& name, std::int64_t first,
                        std::vector<std::uint8_t>& chunk);
// What is wrong with one whose checksum does not hold.
h5::Hdf5Error damaged_chunk(const std::string& name, std::int64_t first);

// Rows [first, last) into memory of the column's type. Throws Hdf5Error for what is none of the
// column's numbers.
void read_rows(hid_t dataset, const Column& column, std::int64_t first, std::int64_t last,
               void* values);
// The same as they are stored.
void read_stored_rows(hid_t dataset, const std::string& name, std::int64_t first, std::int64_t last,
                      void* values);

// What stands for numbers as they are stored, into memory of the column's type. Throws Hdf5Error.
void take_numbers(const Column& column, std::span<const double> stored, void* values);

// The column that a dataset holds, without numbers: see give_axis_numbers. Throws Hdf5Error for a
// type that is none of ours.
Column describe_column(hid_t dataset, const std::string& name);

struct DatasetShape {
  std::int64_t rows = 0;
  std::int64_t chunk_rows = 0;  // 0: not chunked
};
DatasetShape shape_of(hid_t dataset, const std::string& name);

// Whether chunks are as ChunkEncoder makes them: shuffle, deflate, fletcher32 and nothing else.
// Another program may have copied the file with filters of its own.
bool has_our_filters(hid_t dataset, const std::string& name);

// Whether a described column has the name, type and labels that one of a schema has in a file.
bool is_stored_as(const Column& stored, const Column& column);

// Values of one column of a table as they are stored; `numbers` is room for them.
std::span<const std::uint8_t> stored_values(const Table& table, std::size_t place,
                                            const Column& column, std::vector<double>& numbers);

// Whether the name is made of letters, digits and _ and is not empty.
bool is_plain_name(const std::string& name);

}  // namespace scalesweep::store
