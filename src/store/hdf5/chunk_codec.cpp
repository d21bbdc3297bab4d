#include "store/hdf5/chunk_codec.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "core/contracts.hpp"

namespace scalesweep::store {
namespace {

static_assert(std::endian::native == std::endian::little,
              "columns are stored little-endian as they lie in memory");

constexpr std::size_t stored_block_bytes = 65535;  // RFC 1951, 3.2.4
// libdeflate's own scale. Level 1 leaves columns of studies a tenth larger and is hardly faster;
// higher ones gain a hundredth and are slower.
constexpr int deflate_level = 2;

// Byte plane b holds byte b of every value. Sixteen values at a time, so that the compiler can
// turn the inner loops into vector code.
template <std::size_t Width>
void shuffle_values(const std::uint8_t* values, std::uint8_t* planes, std::size_t count) {
  constexpr std::size_t step = 16;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    for (std::size_t b = 0; b < Width; ++b) {
      for (std::size_t j = 0; j < step; ++j) {
        planes[b * count + i + j] = values[(i + j) * Width + b];
      }
    }
  }
  for (; i < count; ++i) {
    for (std::size_t b = 0; b < Width; ++b) {
      planes[b * count + i] = values[i * Width + b];
    }
  }
}

// The inverse, of the first values.size() / Width values.
template <std::size_t Width>
void unshuffle_values(const std::uint8_t* planes, std::size_t plane_bytes,
                      std::span<std::uint8_t> values) {
  constexpr std::size_t step = 16;
  const std::size_t count = values.size() / Width;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; ++j) {
      for (std::size_t b = 0; b < Width; ++b) {
        values[(i + j) * Width + b] = planes[b * plane_bytes + i + j];
      }
    }
  }
  for (; i < count; ++i) {
    for (std::size_t b = 0; b < Width; ++b) {
      values[i * Width + b] = planes[b * plane_bytes + i];
    }
  }
}

std::uint32_t load32(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Whether Huffman coding alone would save less than about 2 %: for a distribution close to
// uniform the entropy lost per byte is (256 sum p^2 - 1) / (2 ln 2) bits.
bool bytes_look_uniform(std::span<const std::uint8_t> plane) {
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint8_t byte : plane) {
    ++counts[byte];
  }
  double squares = 0.0;
  for (const std::uint32_t count : counts) {
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  const auto n = static_cast<double>(plane.size());
  return squares < 1.2 * (n + n * n / 256.0);
}

// Whether four-byte strings hardly ever recur. Looks at the positions whose own hash says so
// (about one in eight), which finds repeats at any distance and costs little.
bool repeats_are_rare(std::span<const std::uint8_t> plane) {
  constexpr std::size_t table_bits = 12;
  std::array<std::uint32_t, std::size_t{1} << table_bits> last{};  // position + 1
  std::size_t sampled = 0;
  std::size_t repeated = 0;
  for (std::size_t i = 0; i + 4 <= plane.size(); ++i) {
    const std::uint32_t text = load32(plane.data() + i);
    const std::uint32_t hash = text * 2654435761U;  // Knuth, TAOCP 3, 6.4
    if ((hash & 0xE000U) != 0) {
      continue;
    }
    ++sampled;
    std::uint32_t& slot = last[hash >> (32 - table_bits)];
    repeated += slot != 0 && load32(plane.data() + slot - 1) == text ? 1 : 0;
    slot = static_cast<std::uint32_t>(i + 1);
  }
  return repeated * 50 <= sampled;
}

bool is_noise(std::span<const std::uint8_t> plane) {
  constexpr std::size_t too_few_to_tell = 1024;
  return plane.size() >= too_few_to_tell && bytes_look_uniform(plane) && repeats_are_rare(plane);
}

std::uint8_t low_byte(std::size_t value) {
  return static_cast<std::uint8_t>(value & 0xFF);
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t modulus = 65535;
  constexpr std::size_t block_words = std::size_t{1} << 15;  // keeps both sums below 2^63
  // In one's complement a sum that is not zero never becomes zero: it is 65535 instead.
  const auto reduced = [](std::uint64_t sum) { return sum == 0 ? sum : (sum - 1) % modulus + 1; };
  std::uint64_t sum = 0;
  std::uint64_t sum_of_sums = 0;
  const std::size_t words = bytes.size() / 2;
  for (std::size_t first = 0; first < words; first += block_words) {
    const std::size_t last = std::min(words, first + block_words);
    for (std::size_t w = first; w < last; ++w) {
      sum += static_cast<std::uint64_t>(bytes[2 * w]) * 256 + bytes[2 * w + 1];
      sum_of_sums += sum;
    }
    sum = reduced(sum);
    sum_of_sums = reduced(sum_of_sums);
  }
  if (bytes.size() % 2 != 0) {
    sum += static_cast<std::uint64_t>(bytes.back()) * 256;
    sum_of_sums += sum;
  }
  return static_cast<std::uint32_t>(reduced(sum_of_sums) << 16 | reduced(sum));
}

bool checksum_holds(std::span<const std::uint8_t> chunk) {
  if (chunk.size() < 4) {
    return false;
  }
  return load32(chunk.data() + chunk.size() - 4) == fletcher32(chunk.first(chunk.size() - 4));
}

ChunkSum sum_of(std::span<const std::uint8_t> chunk) {
  return {static_cast<std::uint32_t>(chunk.size()),
          libdeflate_crc32(0, chunk.data(), chunk.size())};
}

struct ChunkEncoder::Impl {
  struct Free {
    void operator()(libdeflate_compressor* compressor) const {
      libdeflate_free_compressor(compressor);
    }
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor{
      libdeflate_alloc_compressor(deflate_level)};
  std::vector<std::uint8_t> padded;
  std::vector<std::uint8_t> planes;
  std::vector<std::uint8_t> chunk;

  void put(std::size_t byte) { chunk.push_back(low_byte(byte)); }
  void put_big_endian32(std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) {
      put(value >> shift);
    }
  }

  // Deflate blocks of type "stored", none of them the last; they end on a byte boundary.
  void put_stored(std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += stored_block_bytes) {
      const auto block = bytes.subspan(at, std::min(stored_block_bytes, bytes.size() - at));
      put(0);
      put(block.size());
      put(block.size() >> 8);
      put(~block.size());
      put(~block.size() >> 8);
      chunk.insert(chunk.end(), block.begin(), block.end());
    }
  }

  void put_deflated(std::span<const std::uint8_t> bytes) {
    const std::size_t bound = libdeflate_deflate_compress_bound(compressor.get(), bytes.size());
    const std::size_t at = chunk.size();
    chunk.resize(at + bound);
    const std::size_t written = libdeflate_deflate_compress(compressor.get(), bytes.data(),
                                                            bytes.size(), chunk.data() + at, bound);
    SCALESWEEP_ASSERT(written > 0);
    chunk.resize(at + written);
  }
};

ChunkEncoder::ChunkEncoder() : impl_(std::make_unique<Impl>()) {
  if (!impl_->compressor) {
    throw std::bad_alloc();
  }
}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

std::span<const std::uint8_t> ChunkEncoder::encode(std::span<const std::uint8_t> values,
                                                   std::size_t width, std::size_t chunk_rows) {
  const std::size_t bytes = width * chunk_rows;
  SCALESWEEP_EXPECT(values.size() <= bytes && values.size() % width == 0);
  if (values.size() < bytes) {
    impl_->padded.assign(bytes, 0);
    std::copy(values.begin(), values.end(), impl_->padded.begin());
    values = impl_->padded;
  }
  if (width == 1) {
    impl_->planes.assign(values.begin(), values.end());
  } else {
    SCALESWEEP_EXPECT(width == 4 || width == 8);
    impl_->planes.resize(bytes);
    const auto shuffle = width == 4 ? shuffle_values<4> : shuffle_values<8>;
    shuffle(values.data(), impl_->planes.data(), chunk_rows);
  }
  const std::span<const std::uint8_t> planes = impl_->planes;
  std::size_t noisy = 0;  // leading planes, the low-order bytes
  while (noisy < width && is_noise(planes.subspan(noisy * chunk_rows, chunk_rows))) {
    ++noisy;
  }
  impl_->chunk.clear();
  impl_->put(0x78);  // zlib header of RFC 1950: deflate, 32 KiB window, fastest
  impl_->put(0x01);
  impl_->put_stored(planes.first(noisy * chunk_rows));
  impl_->put_deflated(planes.subspan(noisy * chunk_rows));
  impl_->put_big_endian32(libdeflate_adler32(1, planes.data(), planes.size()));
  const std::uint32_t sum = fletcher32(impl_->chunk);
  for (const int shift : {0, 8, 16, 24}) {
    impl_->put(sum >> shift);
  }
  return impl_->chunk;
}

struct ChunkDecoder::Impl {
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const {
      libdeflate_free_decompressor(decompressor);
    }
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor{libdeflate_alloc_decompressor()};
  std::vector<std::uint8_t> planes;
};

ChunkDecoder::ChunkDecoder() : impl_(std::make_unique<Impl>()) {
  if (!impl_->decompressor) {
    throw std::bad_alloc();
  }
}
ChunkDecoder::~ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;

bool ChunkDecoder::decode(std::span<const std::uint8_t> chunk, std::size_t width,
                          std::size_t chunk_rows, std::span<std::uint8_t> values) {
  constexpr std::size_t checksum_bytes = 4;
  SCALESWEEP_EXPECT(width == 1 || width == 4 || width == 8);
  SCALESWEEP_EXPECT(values.size() <= width * chunk_rows && values.size() % width == 0);
  if (chunk.size() < checksum_bytes) {
    return false;
  }
  impl_->planes.resize(width * chunk_rows);
  const libdeflate_result result = libdeflate_zlib_decompress(
      impl_->decompressor.get(), chunk.data(), chunk.size() - checksum_bytes, impl_->planes.data(),
      impl_->planes.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    return false;
  }
  if (width == 1) {
    std::copy_n(impl_->planes.begin(), values.size(), values.begin());
  } else {
    const auto unshuffle = width == 4 ? unshuffle_values<4> : unshuffle_values<8>;
    unshuffle(impl_->planes.data(), chunk_rows, values);
  }
  return true;
}

}  // namespace scalesweep::store
