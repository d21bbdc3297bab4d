// Where the blocks of a study lie. Private to src/store.
#pragma once

#include <filesystem>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/table.hpp"

namespace scalesweep::store {

// One file that holds consecutive rows of a study, in /results.
struct StoredRows {
  hid_t file = H5I_INVALID_HID;  // invalid: it is opened for each read, there are too many
  std::filesystem::path path;
  RowRange rows;
};

struct StoredBlocks {
  struct Part {
    std::filesystem::path path;
    RowRange rows;
    std::vector<h5::Hid> datasets;  // empty: opened for each read
    std::int64_t block_rows = 0;
    bool encoded_as_ours = false;  // otherwise HDF5 reads it
  };
  struct Block {
    std::size_t part = 0;
    RowRange rows;  // of the study
  };

  StoredBlocks(Schema columns, const std::vector<StoredRows>& parts);
  void load_column(const Part& part, std::size_t column, const Block& block,
                   std::vector<std::uint8_t>& chunk, void* values);
  // Only where it is encoded as ours; the library is locked meanwhile by who calls it.
  void load_chunk(const Part& part, std::size_t column, const Block& block,
                  std::vector<std::uint8_t>& chunk) const;

  Schema schema;
  std::vector<Part> parts;
  std::vector<Block> blocks;
};

}  // namespace scalesweep::store
