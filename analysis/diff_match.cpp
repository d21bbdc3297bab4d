#include "analysis/diff_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/columns.hpp"
#include "analysis/rows.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// Strategy columns that only some studies have, and what all strategies of the others are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> defaults = {
    {{"context_parallel", "1"},
     {"expert_parallel", "1"},
     {"recompute_every", "1"},
     {"shard_group", "0"},
     {"schedule", "1f1b"},
     {"context_exchange", "ring"},
     {"rank_order", "tp-cp-ep-dp-pp"},
     {"offload_activations", "off"},
     {"offload_optimizer", "off"}}};

bool is_strategy(const std::string& name) {
  return std::find(strategy_columns.begin(), strategy_columns.end(), name) !=
         strategy_columns.end();
}

std::size_t size_of(const store::AxisValues& axis) {
  return std::max(axis.labels.size(), axis.values.size());
}

// What tells points apart in a study.
std::vector<std::string> coordinates_of(const store::StudyReader& reader) {
  std::vector<std::string> names;
  for (const store::Column& column : reader.schema()) {
    if (is_strategy(column.name) || find_axis(reader.axes(), column.name) != nullptr) {
      names.push_back(column.name);
    }
  }
  return names;
}

// The same number for the same coordinate in both studies, dense from 0.
class Codes {
 public:
  // A quantity by its value, whatever its label; a name by itself.
  std::uint64_t code(const ColumnMeaning& meaning, double stored) {
    if (meaning.meaning == Meaning::name || meaning.meaning == Meaning::truth) {
      const bool known = stored >= 0.0 && stored < static_cast<double>(meaning.labels.size());
      return of_name(known ? meaning.labels[static_cast<std::size_t>(stored)] : "");
    }
    const double value = value_of(meaning, stored);
    const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
    return numbers_.try_emplace(bits, names_.size() + numbers_.size()).first->second;
  }
  std::uint64_t of_name(const std::string& name) {
    return names_.try_emplace(name, names_.size() + numbers_.size()).first->second;
  }
  int bits() const { return static_cast<int>(std::bit_width(names_.size() + numbers_.size())); }

 private:
  std::map<std::string, std::uint64_t> names_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
};

// One coordinate of all rows as codes.
std::vector<std::uint32_t> codes_of(const store::StudyReader& reader, const std::string& name,
                                    Codes& codes) {
  const store::Table table = reader.read({name}, 0, reader.rows());
  const ColumnMeaning meaning = meanings_of(reader, {name}).front();
  std::vector<std::uint32_t> result(table.rows());
  std::map<double, std::uint32_t> seen;  // few: a column of axes or strategies
  double last = std::nan("");
  std::uint32_t last_code = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double stored = table.number(0, i);
    if (stored != last) {
      const auto [found, is_new] = seen.try_emplace(stored, 0);
      if (is_new) {
        found->second = static_cast<std::uint32_t>(codes.code(meaning, stored));
      }
      last = stored;
      last_code = found->second;
    }
    result[i] = last_code;
  }
  return result;
}

// All coordinates of a row, packed.
struct Key {
  std::array<std::uint64_t, 4> words{};
  std::int64_t row = 0;
};

void append(std::vector<Key>& keys, const std::vector<std::uint32_t>& codes, int& used, int bits) {
  constexpr int word_bits = 64;
  if (used % word_bits + bits > word_bits) {
    used += word_bits - used % word_bits;
  }
  const auto word = static_cast<std::size_t>(used / word_bits);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].words[word] |= static_cast<std::uint64_t>(codes[i]) << (used % word_bits);
  }
  used += bits;
}

std::vector<Key> numbered(std::int64_t rows) {
  std::vector<Key> keys(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].row = static_cast<std::int64_t>(i);
  }
  return keys;
}

std::vector<RowPair> joined(std::vector<Key>& from, std::vector<Key>& to) {
  const auto before = [](const Key& a, const Key& b) {
    return a.words != b.words ? a.words < b.words : a.row < b.row;
  };
  std::sort(from.begin(), from.end(), before);
  std::sort(to.begin(), to.end(), before);
  std::vector<RowPair> pairs;
  for (std::size_t a = 0, b = 0; a < from.size() && b < to.size();) {
    if (from[a].words == to[b].words) {
      pairs.push_back({from[a++].row, to[b++].row});
    } else if (from[a].words < to[b].words) {
      ++a;
    } else {
      ++b;
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const RowPair& a, const RowPair& b) { return a.from < b.from; });
  return pairs;
}

std::string_view default_of(const std::string& name) {
  const auto found = std::find_if(defaults.begin(), defaults.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == defaults.end() ? std::string_view() : found->second;
}

// The codes of a coordinate that the study does not have: all rows have its default.
std::vector<std::uint32_t> default_codes(const store::StudyReader& without, const std::string& name,
                                         Codes& codes) {
  const std::string text(default_of(name));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  ColumnMeaning plain;
  const bool is_number = end != text.c_str() && *end == '\0';
  const auto code = is_number ? codes.code(plain, number) : codes.of_name(text);
  return std::vector<std::uint32_t>(static_cast<std::size_t>(without.rows()),
                                    static_cast<std::uint32_t>(code));
}

// An axis of one value in each study tells no points of a study apart: another value in the other
// study is what was changed, and the points are compared across it.
bool is_single(const store::StudyReader& from, const store::StudyReader& to,
               const std::string& name, Matching& matching) {
  const store::AxisValues* a = find_axis(from.axes(), name);
  const store::AxisValues* b = find_axis(to.axes(), name);
  if (a == nullptr || b == nullptr || a->labels.size() != 1 || b->labels.size() != 1) {
    return false;
  }
  const bool same_value = !a->units.empty() && a->values == b->values;
  if (a->labels != b->labels && !same_value) {
    matching.notes.push_back(
        fmt::format("points are compared across '{}': {} in the first, {} in the "
                    "second",
                    name, a->labels.front(), b->labels.front()));
  }
  return true;
}

// Whether rows can be told apart by this coordinate in both studies; false: it may be left out.
bool compares(const store::StudyReader& with, const store::StudyReader& without,
              const std::string& name, Matching& matching, bool& possible) {
  if (find_column(without.schema(), name) != nullptr) {
    return true;
  }
  const store::AxisValues* axis = find_axis(with.axes(), name);
  if (axis == nullptr) {
    return !default_of(name).empty();
  }
  if (size_of(*axis) > 1) {
    matching.notes.push_back(
        fmt::format("points cannot be matched: '{}' has {} values in one "
                    "study and is no axis of the other",
                    name, size_of(*axis)));
    possible = false;
  }
  return false;
}

}  // namespace

Matching match_rows(const store::StudyReader& from, const store::StudyReader& to) {
  Matching matching;
  bool possible = true;
  std::vector<std::string> names;
  for (const std::string& name : coordinates_of(from)) {
    if (!is_single(from, to, name, matching) && compares(from, to, name, matching, possible)) {
      names.push_back(name);
    }
  }
  for (const std::string& name : coordinates_of(to)) {
    if (find_column(from.schema(), name) == nullptr &&
        compares(to, from, name, matching, possible)) {
      names.push_back(name);
    }
  }
  if (!possible) {
    return matching;
  }
  std::vector<Key> keys_from = numbered(from.rows());
  std::vector<Key> keys_to = numbered(to.rows());
  int used_from = 0;
  int used_to = 0;
  for (const std::string& name : names) {
    Codes codes;
    const auto read = [&](const store::StudyReader& reader) {
      return find_column(reader.schema(), name) != nullptr ? codes_of(reader, name, codes)
                                                           : default_codes(reader, name, codes);
    };
    const std::vector<std::uint32_t> a = read(from);
    const std::vector<std::uint32_t> b = read(to);
    constexpr int most_bits = 64 * 4 - 64;  // words may end with a few bits to spare
    if (used_from + codes.bits() > most_bits) {
      matching.notes.push_back("points cannot be matched: their coordinates have too many values");
      return matching;
    }
    append(keys_from, a, used_from, codes.bits());
    append(keys_to, b, used_to, codes.bits());
  }
  matching.pairs = joined(keys_from, keys_to);
  return matching;
}

PointNames::PointNames(const store::StudyReader& reader) : reader_(reader) {
  for (const std::string& name : coordinates_of(reader)) {
    const store::AxisValues* axis = find_axis(reader.axes(), name);
    if (axis == nullptr || size_of(*axis) > 1) {
      columns_.push_back(name);
    }
  }
  meanings_ = meanings_of(reader, columns_);
}

std::string PointNames::name(std::int64_t row) const {
  const store::Table table = reader_.read(columns_, row, row + 1);
  std::vector<std::string> words;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const double stored = table.number(c, 0);
    const std::vector<std::string>& labels = meanings_[c].labels;
    const bool known = stored >= 0.0 && stored < static_cast<double>(labels.size());
    words.push_back(fmt::format(
        "{} {}", columns_[c],
        known ? labels[static_cast<std::size_t>(stored)] : fmt::format("{:g}", stored)));
  }
  return join(words, ", ");
}

}  // namespace scalesweep::analysis
