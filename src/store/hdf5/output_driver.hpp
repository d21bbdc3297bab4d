// A file driver for HDF5 that writes to a descriptor of ours and never tells HDF5 of a failure.
//
// When a write fails inside HDF5 1.10 (disk full), the file cannot be closed any more, and the
// process crashes at exit when the library tries once more. Here the first error is kept for us to
// see, and from then on writes go nowhere, so that HDF5 can always close.
//
// Encoded chunks may be written past HDF5, into a region of the file that HDF5 keeps out of: it is
// told afterwards, chunk by chunk, where they are. Private to src/store.
#pragma once

#include <cstdint>

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {

struct OutputSink {
  int descriptor = -1;  // open for reading and writing, empty
  int error = 0;        // errno of the first write that failed
  // The region of chunks: the superblock lies before it, all other metadata behind. Empty: none.
  std::uint64_t region_first = 0;
  std::uint64_t region_last = 0;
  // While set, raw data that HDF5 makes room for is a chunk of the region: it lies at next_chunk,
  // which moves on. What HDF5 writes to the region is there already and goes nowhere.
  bool placing = false;
  std::uint64_t next_chunk = 0;
};

// HDF5 puts no more than this before the region.
constexpr std::uint64_t superblock_room = 4096;

// Files created with this access go to the sink, whatever their name; it must outlive them.
void set_output_driver(hid_t access, OutputSink& sink);

}  // namespace scalesweep::store
