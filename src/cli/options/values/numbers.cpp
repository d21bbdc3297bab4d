#include "cli/options/values/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

namespace scalesweep::cli {
namespace {

constexpr std::size_t group_digits = 3;  // of a number with marks of thousands

bool is_digits(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view unsigned_part(std::string_view word) {
  return word.starts_with('-') ? word.substr(1) : word;
}

std::string without_zeros(std::string_view word) {
  const std::string_view digits = unsigned_part(word);
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return std::string(word.starts_with('-') ? "-" : "") + std::string(digits.substr(first));
}

// The number whose groups of three digits stand around the word at `at`: "1024" of 1 and 024; ""
// where they make none.
std::string grouped_number(const std::vector<std::string>& list, std::size_t at) {
  const auto is_group = [&](std::size_t i) {
    return is_digits(list[i]) && list[i].size() == group_digits;
  };
  std::size_t begin = at;
  while (begin > 0 && is_group(begin)) {
    --begin;
  }
  const bool begins =
      is_digits(list[begin]) && list[begin].size() <= group_digits && list[begin][0] != '0';
  if (begin == at || !begins) {
    return "";
  }
  std::string digits = list[begin];
  for (std::size_t i = begin + 1; i < list.size() && is_group(i); ++i) {
    digits += list[i];
  }
  return digits;
}

std::string zero_problem(const std::vector<std::string>& list, std::size_t at) {
  const std::string& word = list[at];
  const std::string whole = grouped_number(list, at);
  return whole.empty() ? fmt::format("{} has a zero in front; write {}", word, without_zeros(word))
                       : fmt::format(
                             "{} has a zero in front: commas make a list; if one number is meant, "
                             "write {}",
                             word, whole);
}

// "0x40": 64.
std::string hexadecimal_problem(const std::string& word) {
  std::string_view digits = unsigned_part(word);
  if (!digits.starts_with("0x") && !digits.starts_with("0X")) {
    return "";
  }
  digits.remove_prefix(2);
  std::int64_t value = 0;
  constexpr int hexadecimal = 16;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal);
  const bool is_known = error == std::errc() && end == digits.data() + digits.size();
  return fmt::format("{} is no decimal number{}", word,
                     is_known ? fmt::format("; write {}{}", word[0] == '-' ? "-" : "", value) : "");
}

}  // namespace

bool has_zero_in_front(std::string_view word) {
  const std::string_view digits = unsigned_part(word);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

NumberRead<std::int64_t> read_whole_number(const std::vector<std::string>& list, std::size_t at,
                                           std::int64_t least, std::int64_t most) {
  const std::string& word = list[at];
  if (has_zero_in_front(word) && is_digits(unsigned_part(word))) {
    return {std::nullopt, zero_problem(list, at)};
  }
  if (const std::string problem = hexadecimal_problem(word); !problem.empty()) {
    return {std::nullopt, problem};
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) {
    return {std::nullopt, fmt::format("'{}' is not a whole number", word)};
  }
  // What is beyond 64 bits has no value.
  const bool is_known = error == std::errc();
  const bool too_small = is_known ? value < least : word.starts_with('-');
  if (too_small) {
    return {std::nullopt, fmt::format("{} is too small; at least {}", word, least)};
  }
  if (!is_known || value > most) {
    return {std::nullopt, fmt::format("{} is too large; at most {}", word, most)};
  }
  return {value, ""};
}

NumberRead<std::int64_t> read_whole_number(const std::string& word) {
  return read_whole_number({word}, 0, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max());
}

NumberRead<double> read_real_number(const std::string& word) {
  if (has_zero_in_front(word)) {
    return {std::nullopt, zero_problem({word}, 0)};
  }
  if (const std::string problem = hexadecimal_problem(word); !problem.empty()) {
    return {std::nullopt, problem};
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  return is_number && std::isfinite(value)
             ? NumberRead<double>{value, ""}
             : NumberRead<double>{std::nullopt, fmt::format("'{}' is not a number", word)};
}

}  // namespace scalesweep::cli
