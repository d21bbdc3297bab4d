// Texts and tables that are put together while this is compiled.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace scalesweep {

// Parts, one behind the other. Too many characters do not compile.
class FixedText {
 public:
  constexpr FixedText() = default;
  constexpr FixedText(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      for (const char one : part) {
        characters_.at(size_++) = one;
      }
    }
  }
  constexpr std::string_view view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, 240> characters_{};
  std::size_t size_ = 0;
};

// Parts of a table, one behind the other.
template <typename Row, std::size_t... counts>
constexpr auto joined(const std::array<Row, counts>&... parts) {
  std::array<Row, (counts + ...)> rows{};
  auto next = rows.begin();
  ((next = std::copy(parts.begin(), parts.end(), next)), ...);
  return rows;
}

}  // namespace scalesweep
