#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <tuple>

namespace scalesweep {
namespace {

// Spellings that differ only in case and word separators are one word to a reader.
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c != '-' && c != '_' && c != ' ') {
      out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return out;
}

// Candidates that the word is a part of, quoted, if it says something and they are few.
std::vector<std::string> containing(std::string_view word,
                                    std::span<const std::string> candidates) {
  constexpr std::size_t shortest = 3;
  constexpr std::size_t most = 6;
  const std::string wanted = folded(word);
  std::vector<std::string> found;
  for (const std::string& candidate : candidates) {
    if (wanted.size() >= shortest && folded(candidate).find(wanted) != std::string::npos) {
      found.push_back(fmt::format("'{}'", candidate));
    }
  }
  return found.size() <= most ? found : std::vector<std::string>();
}

// Most changes of a folded word that may be a misspelling.
int misspelt(const std::string& folded_word) {
  return std::max<int>(2, static_cast<int>(folded_word.size()) / 3);
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Changes from one folded name to another; the letter of a variant, as of "tpuv5e", may be left
// out.
int changes(const std::string& name, const std::string& candidate) {
  const int all = edit_distance(name, candidate);
  const bool variant = candidate.size() > 1 && !is_digit(candidate.back()) &&
                       is_digit(candidate[candidate.size() - 2]);
  if (!variant || name.empty() || !is_digit(name.back())) {
    return all;
  }
  return std::min(all, edit_distance(name, candidate.substr(0, candidate.size() - 1)));
}

// What a name says beside its spelling: "TPU-v5e" has the series "tpuv" and the number 5.
struct Designation {
  std::string series;  // folded, what stands before the first digit
  std::string digits;  // all, so that separators between them count nothing
  std::vector<double> numbers;

  explicit Designation(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (!is_digit(name[i])) {
        continue;
      }
      if (digits.empty()) {
        series = folded(name.substr(0, i));
      }
      if (i == 0 || !is_digit(name[i - 1])) {
        numbers.push_back(0.0);
      }
      numbers.back() = 10.0 * numbers.back() + (name[i] - '0');
      digits.push_back(name[i]);
    }
  }

  // Longer words before a number can be misspelt; one letter or two are a series of their own.
  bool same_but_for_spelling(const Designation& other) const {
    constexpr std::size_t longest_series = 2;
    const bool short_series = std::min(series.size(), other.series.size()) <= longest_series;
    return digits == other.digits && (!short_series || series == other.series);
  }

  // Number by number; one that the other lacks is further away than any.
  std::vector<double> distances(const Designation& other) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::max(numbers.size(), other.numbers.size()); ++i) {
      const bool both = i < numbers.size() && i < other.numbers.size();
      result.push_back(both ? std::fabs(numbers[i] - other.numbers[i]) : HUGE_VAL);
    }
    return result;
  }
};

// How long the longest piece is that two words have in common.
std::size_t common_piece(const std::string& a, const std::string& b) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t length = 0;
      while (i + length < a.size() && j + length < b.size() && a[i + length] == b[j + length]) {
        ++length;
      }
      longest = std::max(longest, length);
    }
  }
  return longest;
}

// Of many names those that share the longest pieces with the word, the best first; none where they
// share no more than single letters.
std::vector<std::string> most_alike(std::string_view word,
                                    std::span<const std::string> candidates) {
  constexpr std::size_t most = 5;
  constexpr std::size_t shortest_piece = 3;
  using Likeness = std::tuple<int, int, std::size_t>;  // common letters, changes, place: rising
  const std::string wanted = folded(word);
  std::vector<Likeness> alike;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string other = folded(candidates[i]);
    const std::size_t common = common_piece(wanted, other);
    if (common >= shortest_piece) {
      alike.emplace_back(-static_cast<int>(common), edit_distance(wanted, other), i);
    }
  }
  std::sort(alike.begin(), alike.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, alike.size()); ++i) {
    names.push_back(candidates[std::get<2>(alike[i])]);
  }
  return names;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    at(i, 0) = static_cast<int>(i);
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    at(0, j) = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = folded(word);
  std::optional<std::string> best;
  int best_distance = misspelt(wanted) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(wanted, folded(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  if (const auto best = closest(word, candidates)) {
    return fmt::format("; did you mean '{}'?", *best);
  }
  const std::vector<std::string> related = containing(word, candidates);
  if (!related.empty()) {
    return fmt::format("; did you mean {}?", join(related, " or "));
  }
  if (candidates.empty()) {
    return "";
  }
  // A line that a person still reads.
  constexpr std::size_t most = 30;
  if (candidates.size() <= most) {
    return "; known are " + join(candidates, ", ");
  }
  constexpr std::size_t most_of_many = 5;
  const std::vector<std::string> near = most_alike(word, candidates);
  return near.empty()
             ? "; known are " + join_first(most_of_many, candidates)
             : fmt::format("; the nearest of {} are {}", candidates.size(), join(near, ", "));
}

std::string near_name(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = folded(name);
  const Designation said(name);
  // Of what takes the fewest changes, the same series and the next generation come first.
  using Order = std::tuple<int, bool, bool, std::vector<double>>;
  std::optional<Order> best;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const Designation meant(candidate);
    const Order order = {changes(wanted, folded(candidate)), !said.same_but_for_spelling(meant),
                         said.series != meant.series, said.distances(meant)};
    if (std::get<0>(order) <= misspelt(wanted) && (!best || order < *best)) {
      best = order;
      nearest = candidate;
    }
  }
  if (!best) {
    return "";
  }
  return std::get<1>(*best) ? fmt::format(" (nearest: '{}', another generation or size)", nearest)
                            : fmt::format("; did you mean '{}'?", nearest);
}

std::string join_first(std::size_t most, std::span<const std::string> words,
                       std::string_view separator) {
  const std::string first = join(words.first(std::min(most, words.size())), separator);
  return words.size() <= most
             ? first
             : fmt::format("{} and {} more", first,
                           with_thousands(static_cast<std::int64_t>(words.size() - most)));
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words.begin(), words.end(), separator));
}

std::string with_thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string with_si_prefix(double value, std::string_view unit) {
  static constexpr std::array<const char*, 13> prefixes = {"f", "p", "n", "u", "m", "", "k",
                                                           "M", "G", "T", "P", "E", "Z"};
  if (value == 0.0 || !std::isfinite(value)) {
    return fmt::format("{} {}", value, unit);
  }
  const int thousands = static_cast<int>(std::floor(std::log10(std::fabs(value)) / 3.0));
  const int index = std::clamp(thousands + 5, 0, static_cast<int>(prefixes.size()) - 1);
  const double scaled = value / std::pow(1000.0, index - 5);
  return fmt::format("{:.4g} {}{}", scaled, prefixes[static_cast<std::size_t>(index)], unit);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) {
    return "unknown";
  }
  if (seconds < 60.0) {
    return with_si_prefix(seconds, "s");
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  if (whole < 86400) {
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  }
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    if (end == std::string_view::npos) {
      parts.emplace_back(text.substr(start));
      return parts;
    }
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace scalesweep
