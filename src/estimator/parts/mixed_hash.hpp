// Hashes of what memos are asked for: sizes, most of them small whole numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace scalesweep::estimator {

constexpr std::size_t mixed(std::size_t hash, std::uint64_t word) {
  return (hash ^ word) * 0x100000001b3U;  // FNV-1a, of words
}

// Few sizes have more digits.
constexpr std::size_t mixed_size(std::size_t hash, double size) {
  return mixed(hash, std::bit_cast<std::uint64_t>(size) >> 20U);
}

}  // namespace scalesweep::estimator
