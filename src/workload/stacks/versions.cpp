#include "workload/stacks/versions.hpp"

#include <algorithm>
#include <compare>
#include <utility>

namespace scalesweep::workload {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the digits that a version begins with, or all up to the next digit.
std::string_view take_piece(std::string_view& version) {
  const bool digits = is_digit(version.front());
  const auto end = std::find_if(version.begin(), version.end(),
                                [digits](char c) { return is_digit(c) != digits; });
  const auto length = static_cast<std::size_t>(end - version.begin());
  const std::string_view piece = version.substr(0, length);
  version.remove_prefix(length);
  return piece;
}

// Of any length: without zeros in front, the longer one is the larger.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  return a.size() != b.size() ? a.size() <=> b.size() : a.compare(b) <=> 0;
}

}  // namespace

StackName stack_name(std::string_view name) {
  const std::size_t at = name.find('@');
  return at == std::string_view::npos ? StackName{name, ""}
                                      : StackName{name.substr(0, at), name.substr(at + 1)};
}

bool is_newer(std::string_view version, std::string_view than) {
  while (!version.empty() && !than.empty()) {
    const std::string_view own = take_piece(version);
    const std::string_view other = take_piece(than);
    const bool numbers = is_digit(own.front()) && is_digit(other.front());
    const auto order = numbers ? compare_numbers(own, other) : own.compare(other) <=> 0;
    if (order != 0) {
      return order > 0;
    }
  }
  return !version.empty();
}

}  // namespace scalesweep::workload
