// Columns of a study block by block, by several threads at once: what StudyReader::read gives, many
// times faster. HDF5 lets one thread in at a time and undoes its filters meanwhile; here it only
// hands out chunks as they lie in the file, and each thread decodes its own.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "store/read/table.hpp"

namespace scalesweep::store {

struct StoredBlocks;

// Made by StudyReader::blocks, which must outlive it. While threads read blocks no other function
// of the store may be called but TableFile::add_rows.
class ColumnBlocks {
 public:
  ~ColumnBlocks();
  ColumnBlocks(ColumnBlocks&&) noexcept;
  ColumnBlocks& operator=(ColumnBlocks&&) noexcept;

  const Schema& schema() const;  // of the columns asked for, in that order
  // Blocks cover the rows of the study in order; a block has as many rows as a chunk at most.
  std::size_t size() const;
  RowRange rows(std::size_t block) const;

  // The columns of one block, any number of threads at a time. Throws Failure(io), also where a
  // checksum does not hold.
  Table read(std::size_t block) const;
  // Of those only some, by their places in schema(); the table has them in the given order.
  Table read(std::size_t block, const std::vector<std::size_t>& columns) const;

  // Whether all columns of a block are, here and in `other`, the same bytes of the file, so that
  // they have the same values to the last bit; nothing is decoded for it. Not where that cannot be
  // told so: for other rows, types, chunks or filters. As many threads and the same failures as
  // read(); `other` has the same columns in the same order.
  bool is_stored_as_in(const ColumnBlocks& other, std::size_t block) const;

 private:
  friend class StudyReader;
  explicit ColumnBlocks(std::unique_ptr<StoredBlocks> stored);
  std::unique_ptr<StoredBlocks> stored_;
};

}  // namespace scalesweep::store
