// What bytes choose, one after the other: those of an input of fuzzing, or those of a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <vector>

namespace scalesweep::test {

using Bytes = std::span<const std::uint8_t>;

// 0 where they have ended.
class Choices {
 public:
  explicit Choices(Bytes input) : input_(input) {}

  bool empty() const { return input_.empty(); }
  std::uint8_t byte() {
    if (input_.empty()) {
      return 0;
    }
    const std::uint8_t first = input_.front();
    input_ = input_.subspan(1);
    return first;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : two_bytes() % n; }
  bool one_of(std::size_t n) { return below(n) == 0; }
  std::uint32_t two_bytes() { return static_cast<std::uint32_t>(byte() << 8U) | byte(); }
  template <typename Values>
  const auto& of(const Values& values) {
    return values[below(std::size(values))];
  }
  Bytes rest() const { return input_; }

 private:
  Bytes input_;
};

// The same for a seed on every machine.
inline std::vector<std::uint8_t> bytes_of_seed(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random() >> 56U);
  }
  return bytes;
}

}  // namespace scalesweep::test
