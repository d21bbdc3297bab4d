// Numbers of a command line: one reader for all options, whatever their type. In decimal always. A
// zero in front is a mistake: elsewhere it means octal, and behind a comma it is mostly a part of a
// number that was meant whole (1,024).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::cli {

// A number, or what is wrong with the word that should be one.
template <typename T>
struct NumberRead {
  std::optional<T> value;
  std::string problem;
};

// "0064", "-007" and "00.5", but not "0" and "0.5".
bool has_zero_in_front(std::string_view word);

// The whole number that is the word at `at` of a list: those beside it tell whether commas were
// meant as marks of thousands.
NumberRead<std::int64_t> read_whole_number(const std::vector<std::string>& list, std::size_t at,
                                           std::int64_t least, std::int64_t most);
NumberRead<std::int64_t> read_whole_number(const std::string& word);

// "0.5", "1e-3", "30"; no infinity and no hexadecimal number.
NumberRead<double> read_real_number(const std::string& word);

}  // namespace scalesweep::cli
