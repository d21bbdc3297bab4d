// The seal of a file: SHA-256 of all its bytes but those of chunks, and of where each chunk lies
// and its CRC-32, behind the end that HDF5 knows. Names, texts, descriptions, counts and the index
// of the chunks are under no checksum of HDF5's, or under one that it does not compare before it
// follows them; here they are compared before HDF5 sees the file. A chunk is compared when HDF5
// reads it (input_driver.hpp), so that opening a file takes no longer for its rows. HDF5 takes no
// notice of what lies behind its end, and drops it where it opens the file for writing: what
// another program changed has no seal. FORMAT.md, "The seal", has the bytes. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "store/hdf5/chunk_codec.hpp"

namespace scalesweep::store {

struct SealedChunk {
  std::uint64_t first = 0;  // its place in the file
  ChunkSum sum;
};

// Bytes that are not under the digest.
struct ChunkExtent {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
};

// What goes behind the bytes of a file, given whole. The chunks lie in it and may come in any
// order; they do not overlap.
std::vector<std::uint8_t> seal_of(std::span<const std::uint8_t> file,
                                  std::vector<SealedChunk> chunks);

// Puts it behind the bytes of a file open for reading and writing. All of the chunks lie in
// `region`, and nothing else there counts; empty: nothing lies between them that does not. Returns
// 0, or errno of what failed.
int append_seal(int descriptor, std::vector<SealedChunk> chunks, ChunkExtent region = {});

enum class Seal {
  none,  // of an older version, or another program has changed the file
  whole
};

// Throws Hdf5Error where the file has a seal that does not hold, Failure(io) where files or memory
// are too few to open it. A file that cannot be read otherwise has none.
Seal check_seal(const std::filesystem::path& path);

// What the seal of an open file says of its chunks, in order and apart; it is believed. None
// without a seal.
std::vector<SealedChunk> sealed_chunks(int descriptor);

}  // namespace scalesweep::store
