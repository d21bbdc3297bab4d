#include "store/hdf5/chunk_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "store/hdf5/hdf5.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;
using h5::owned;

std::vector<std::uint8_t> bytes_of(const auto& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(values[0]));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// What HDF5 itself makes of an encoded chunk of unsigned numbers of the given width.
std::vector<std::uint8_t> decoded_by_hdf5(std::span<const std::uint8_t> chunk, std::size_t width,
                                          std::size_t rows) {
  const scalesweep::test::TemporaryFolder folder;
  const hid_t type = width == 1 ? H5T_STD_U8LE : width == 4 ? H5T_STD_U32LE : H5T_STD_U64LE;
  const auto extent = static_cast<hsize_t>(rows);
  const Hid file =
      owned(H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
            "create");
  const Hid space = owned(H5Screate_simple(1, &extent, nullptr), H5Sclose, "space");
  const Hid properties = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
  check(H5Pset_chunk(properties.get(), 1, &extent), "chunk");
  check(H5Pset_shuffle(properties.get()), "shuffle");
  check(H5Pset_deflate(properties.get(), 1), "deflate");
  check(H5Pset_fletcher32(properties.get()), "fletcher32");
  const hsize_t origin = 0;
  {
    const Hid dataset = owned(
        H5Dcreate2(file.get(), "x", type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose, "dataset");
    check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &origin, chunk.size(), chunk.data()),
          "write");
  }
  const Hid dataset = h5::open_dataset(file.get(), "x");
  std::vector<std::uint8_t> values(rows * width);
  check(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");
  return values;
}

void expect_readable(const std::vector<std::uint8_t>& values, std::size_t width,
                     std::size_t chunk_rows) {
  h5::quiet();
  ChunkEncoder encoder;
  const auto chunk = encoder.encode(values, width, chunk_rows);
  EXPECT_TRUE(checksum_holds(chunk));
  std::vector<std::uint8_t> expected = values;
  expected.resize(width * chunk_rows, 0);
  EXPECT_EQ(decoded_by_hdf5(chunk, width, chunk_rows), expected);
  ChunkDecoder decoder;
  std::vector<std::uint8_t> decoded(values.size());
  EXPECT_TRUE(decoder.decode(chunk, width, chunk_rows, decoded));
  EXPECT_EQ(decoded, values);
}

std::vector<double> noise(std::size_t count) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(1.0, 2.0);
  std::vector<double> values(count);
  for (double& value : values) {
    value = uniform(generator);
  }
  return values;
}

TEST(ChunkCodec, Hdf5ReadsSmoothValues) {
  std::vector<double> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::exp(1e-3 * static_cast<double>(i));
  }
  expect_readable(bytes_of(values), 8, values.size());
}

TEST(ChunkCodec, Hdf5ReadsNoiseWhichIsStored) {
  expect_readable(bytes_of(noise(4096)), 8, 4096);
  expect_readable(bytes_of(noise(100000)), 8, 100000);  // more than one stored block
}

TEST(ChunkCodec, Hdf5ReadsPureNoiseOfEveryWidth) {
  std::mt19937_64 generator(2);
  std::vector<std::uint64_t> values(5000);
  for (std::uint64_t& value : values) {
    value = generator();
  }
  const std::vector<std::uint8_t> bytes = bytes_of(values);
  for (const std::size_t width : {1U, 4U, 8U}) {
    expect_readable(bytes, width, bytes.size() / width);
  }
}

TEST(ChunkCodec, Hdf5ReadsPartChunksAndOddOnes) {
  for (const std::size_t count : {1U, 3U, 15U, 16U, 17U, 1023U, 4095U}) {
    std::vector<double> values = noise(count);
    expect_readable(bytes_of(values), 8, 4096);
    expect_readable(bytes_of(values), 8, count);
    std::vector<std::uint8_t> small(count, 7);
    expect_readable(small, 1, count);
  }
}

TEST(ChunkCodec, NoiseIsStoredAndRepetitionIsNot) {
  ChunkEncoder encoder;
  const std::size_t noisy = encoder.encode(bytes_of(noise(16384)), 8, 16384).size();
  EXPECT_LT(noisy, 16384 * 8);
  EXPECT_GT(noisy, 16384 * 6);
  // Random bytes, but the same ones again and again: order-0 statistics alone would not see it.
  std::vector<double> repeated = noise(512);
  for (int times = 0; times < 5; ++times) {
    repeated.insert(repeated.end(), repeated.begin(), repeated.end());
  }
  const std::size_t size = encoder.encode(bytes_of(repeated), 8, repeated.size()).size();
  EXPECT_LT(size, repeated.size() * 8 / 8);
}

TEST(ChunkCodec, DependsOnNothingButTheValues) {
  ChunkEncoder fresh;
  ChunkEncoder used;
  used.encode(bytes_of(noise(4096)), 8, 4096);
  const std::vector<std::uint8_t> values = bytes_of(std::vector<float>(100, 2.5F));
  const auto a = fresh.encode(values, 4, 4096);
  const auto b = used.encode(values, 4, 4096);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

// The published test vectors of the algorithm are for little-endian words; with the byte pairs
// swapped they are those of big-endian words.
TEST(Fletcher32, HasTheKnownValues) {
  const auto sum = [](std::string text) {
    if (text.size() % 2 != 0) {
      text += '\0';
    }
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
      std::swap(text[i], text[i + 1]);
    }
    return fletcher32(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(sum("abcde"), 0xF04FC729U);
  EXPECT_EQ(sum("abcdef"), 0x56502D2AU);
  EXPECT_EQ(sum("abcdefgh"), 0xEBE19591U);
  EXPECT_EQ(fletcher32({}), 0U);
}

TEST(Fletcher32, SeesEveryFlippedBit) {
  ChunkEncoder encoder;
  const auto encoded = encoder.encode(bytes_of(noise(50)), 8, 50);
  std::vector<std::uint8_t> chunk(encoded.begin(), encoded.end());
  for (std::size_t byte = 0; byte < chunk.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      chunk[byte] = static_cast<std::uint8_t>(chunk[byte] ^ (1 << bit));
      EXPECT_FALSE(checksum_holds(chunk)) << byte << ':' << bit;
      chunk[byte] = static_cast<std::uint8_t>(chunk[byte] ^ (1 << bit));
    }
  }
  EXPECT_FALSE(checksum_holds(std::vector<std::uint8_t>{1, 2, 3}));
}

TEST(ChunkCodec, WhatIsNoChunkIsNotDecoded) {
  ChunkEncoder encoder;
  const auto encoded = encoder.encode(bytes_of(noise(100)), 8, 100);
  const std::vector<std::uint8_t> chunk(encoded.begin(), encoded.end());
  ChunkDecoder decoder;
  std::vector<std::uint8_t> values(800);
  EXPECT_FALSE(decoder.decode({}, 8, 100, values));
  EXPECT_FALSE(decoder.decode(std::span(chunk).first(chunk.size() / 2), 8, 100, values));
  EXPECT_FALSE(decoder.decode(chunk, 8, 101, values));
  std::vector<std::uint8_t> damaged = chunk;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_FALSE(decoder.decode(damaged, 8, 100, values));
  EXPECT_TRUE(decoder.decode(chunk, 8, 100, values));
}

}  // namespace
}  // namespace scalesweep::store
