// Words for people: suggestions, lists, numbers with units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep {

// Optimal string alignment distance (insert, delete, replace, swap of neighbours).
int edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `word` if it is close enough to be a misspelling (distance at most 2,
// or a third of the word; letter case and - _ count nothing), else nothing.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?", also of a few with the word in them; "; known are a, b"; "" without any.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// The same for names of products and models, whose numbers say more than their spelling: where the
// nearest one differs from `name` in its numbers or in the letter or two of its series, as 'h100'
// from 'h300' and 'v100' from 'b100', " (nearest: 'x', another generation or size)"; "" where none
// is near.
std::string near_name(std::string_view name, std::span<const std::string> candidates);

std::string join(std::span<const std::string> words, std::string_view separator);
// Of many the first: "a, b and 12 more".
std::string join_first(std::size_t most, std::span<const std::string> words,
                       std::string_view separator = ", ");

// 1234567 -> "1,234,567".
std::string with_thousands(std::int64_t value);

// Four significant digits and an SI prefix: 3.35e12, "B/s" -> "3.35 TB/s".
std::string with_si_prefix(double value, std::string_view unit);

// 93.4 -> "1 min 33 s"; 0.0031 -> "3.1 ms".
std::string duration_text(double seconds);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

}  // namespace scalesweep
