// What people write for the values of an enum: one text for each, which the compiler counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep {

namespace detail {

// GCC and Clang write a value that no enumerator has as a cast: "(Color)3".
template <auto value>
constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("value = (") == std::string_view::npos;
}

}  // namespace detail

// Of an enum that counts from 0.
template <typename Enum, std::size_t count>
class EnumNames {
 public:
  explicit constexpr EnumNames(const std::array<std::string_view, count>& texts) : texts_(texts) {}

  constexpr std::string_view operator[](Enum value) const {
    return texts_[static_cast<std::size_t>(value)];
  }
  constexpr std::string_view operator[](std::size_t index) const { return texts_[index]; }
  std::optional<Enum> find(std::string_view text) const {
    const auto found = std::find(begin(), end(), text);
    return found == end() ? std::nullopt : std::optional(static_cast<Enum>(found - begin()));
  }

  // All of them, in the order of the enumerators.
  static constexpr std::size_t size() { return count; }
  constexpr auto begin() const { return texts_.begin(); }
  constexpr auto end() const { return texts_.end(); }
  std::vector<std::string> list() const { return {begin(), end()}; }  // for suggestions

 private:
  std::array<std::string_view, count> texts_;
};

// enum_names<Color>("red", "green"): does not compile unless Color has two enumerators.
template <typename Enum, typename... Text>
constexpr auto enum_names(Text... texts) {
  constexpr std::size_t count = sizeof...(texts);
  static_assert(detail::is_enumerator<static_cast<Enum>(count - 1)>(), "an enumerator is missing");
  static_assert(!detail::is_enumerator<static_cast<Enum>(count)>(), "a text is missing");
  return EnumNames<Enum, count>({texts...});
}

}  // namespace scalesweep
