// Encodes one chunk of a column exactly as HDF5's filters shuffle, deflate and fletcher32 would
// have to decode it, so that any HDF5 reader reads what H5Dwrite_chunk stores.
//
// Done here rather than by HDF5 for speed: the low-order bytes of computed floating-point values
// are noise, and searching noise for repeats is most of what zlib does with such a chunk. Here
// byte planes that cannot shrink become stored blocks, and the rest goes to libdeflate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace scalesweep::store {

// The checksum of HDF5's fletcher32 filter: J. Fletcher, "An arithmetic checksum for serial
// transmissions", IEEE Trans. Commun. 30 (1982) 247, over big-endian 16-bit words, an odd last
// byte being the high half of a word.
std::uint32_t fletcher32(std::span<const std::uint8_t> bytes);

// Whether the four trailing bytes of an encoded chunk are the checksum of what stands before.
bool checksum_holds(std::span<const std::uint8_t> chunk);

// What is to be known of an encoded chunk where it is only carried. fletcher32 takes 0xffff for
// 0x0000, and holds for a chunk that lies in another's place; the CRC does neither.
struct ChunkSum {
  std::uint32_t bytes = 0;
  std::uint32_t crc = 0;  // RFC 1952, 8

  friend bool operator==(const ChunkSum&, const ChunkSum&) = default;
};
using ChunkSums = std::vector<ChunkSum>;

ChunkSum sum_of(std::span<const std::uint8_t> chunk);

class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  // `values` are values.size() / width values of `width` bytes; the chunk holds `chunk_rows`, the
  // missing ones are zero. The result is valid until the next call, and depends on nothing but the
  // arguments.
  std::span<const std::uint8_t> encode(std::span<const std::uint8_t> values, std::size_t width,
                                       std::size_t chunk_rows);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Undoes ChunkEncoder, or HDF5's own filters, several times as fast as HDF5 does.
class ChunkDecoder {
 public:
  ChunkDecoder();
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  // The first values.size() / width values of a chunk of `chunk_rows` values of `width` bytes, 1, 4
  // or 8. False if the chunk is not one; its checksum is the caller's to compare.
  bool decode(std::span<const std::uint8_t> chunk, std::size_t width, std::size_t chunk_rows,
              std::span<std::uint8_t> values);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scalesweep::store
