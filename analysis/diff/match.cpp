#include "analysis/diff/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <limits>
#include <map>
#include <optional>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/selection/rows.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

// What tells points apart in a study. Not what follows from how many accelerators and how large a
// batch there are: points of studies that differ in one of these alone are the same but for that.
std::vector<std::string> coordinates_of(const store::StudyReader& reader,
                                        const std::vector<FollowingField>& following) {
  std::vector<std::string> names;
  for (const store::Column& column : reader.schema()) {
    const bool is_axis = find_axis(reader.axes(), column.name) != nullptr;
    if (is_axis || (is_strategy_column(column) && !follows(following, column.name))) {
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
  std::size_t size() const { return names_.size() + numbers_.size(); }
  int bits() const { return static_cast<int>(std::bit_width(size())); }

 private:
  std::map<std::string, std::uint64_t> names_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
};

// Stored values of some rows: each different one once, and for each row the place of its own.
struct Distinct {
  std::int64_t first_row = 0;
  std::vector<double> values;
  std::vector<std::uint32_t> of_row;
};

Distinct distinct_values(const store::Table& table, std::int64_t first_row) {
  constexpr std::size_t small = 256;  // most columns of axes and strategies hold small indices
  constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
  std::array<std::uint32_t, small> places{};
  places.fill(unseen);
  std::map<double, std::uint32_t> others;
  Distinct result{first_row, {}, std::vector<std::uint32_t>(table.rows())};
  const auto add = [&](double value) {
    result.values.push_back(value);
    return static_cast<std::uint32_t>(result.values.size() - 1);
  };
  for (std::size_t i = 0; i < result.of_row.size(); ++i) {
    const double value = table.number(0, i);
    const auto index = value >= 0.0 && value < static_cast<double>(small)
                           ? static_cast<std::size_t>(value)
                           : small;
    if (index < small && static_cast<double>(index) == value) {
      places[index] = places[index] == unseen ? add(value) : places[index];
      result.of_row[i] = places[index];
    } else {
      const auto [found, is_new] = others.try_emplace(value, unseen);
      found->second = is_new ? add(value) : found->second;
      result.of_row[i] = found->second;
    }
  }
  return result;
}

// One coordinate of all rows as codes.
std::vector<std::uint32_t> codes_of(const store::StudyReader& reader, const std::string& name,
                                    Codes& codes, const ReadingOptions& how) {
  const store::ColumnBlocks blocks = reader.blocks({name});
  const ColumnMeaning meaning = meanings_of(reader, {name}).front();
  std::vector<std::uint32_t> result(static_cast<std::size_t>(reader.rows()));
  for_each_in_order(
      thread_count(how.threads), blocks.size(),
      [&](std::size_t block) {
        return distinct_values(blocks.read(block), blocks.rows(block).first);
      },
      [&](const Distinct& distinct) {
        std::vector<std::uint32_t> code;
        for (const double value : distinct.values) {
          code.push_back(static_cast<std::uint32_t>(codes.code(meaning, value)));
        }
        auto next = result.begin() + distinct.first_row;
        for (const std::uint32_t place : distinct.of_row) {
          *next++ = code[place];
        }
      });
  return result;
}

// All coordinates of every row, packed: 64 bits, and 64 more where they are needed.
struct Keys {
  std::vector<std::uint64_t> low;
  std::vector<std::uint64_t> high;  // empty: 0

  friend bool operator==(const Keys&, const Keys&) = default;
};

constexpr int word_bits = 64;
constexpr int most_bits = 2 * word_bits;

// Where a coordinate of so many bits begins behind `used` bits: not across words.
int begin_of(int used, int bits) {
  return used < word_bits && used + bits > word_bits ? word_bits : used;
}

void append(Keys& keys, const std::vector<std::uint32_t>& codes, int begin) {
  std::vector<std::uint64_t>& words = begin < word_bits ? keys.low : keys.high;
  words.resize(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    words[i] |= static_cast<std::uint64_t>(codes[i]) << (begin % word_bits);
  }
}

struct KeyedRow {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::int64_t row = 0;

  bool same_key(const KeyedRow& other) const { return high == other.high && low == other.low; }
  friend auto operator<=>(const KeyedRow&, const KeyedRow&) = default;
};

std::vector<KeyedRow> sorted(const Keys& keys) {
  std::vector<KeyedRow> rows(keys.low.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {keys.high.empty() ? 0 : keys.high[i], keys.low[i], static_cast<std::int64_t>(i)};
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<RowPair> numbered_pairs(std::size_t rows) {
  std::vector<RowPair> pairs(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    pairs[i] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)};
  }
  return pairs;
}

// Rows of equal keys; each with one of the other side, or with all of them.
std::vector<RowPair> joined(const Keys& from, const Keys& to, bool with_all,
                            const ReadingOptions& how) {
  std::vector<RowPair> pairs;
  std::array<std::vector<KeyedRow>, 2> sides;
  std::vector<int> threads(std::min<std::size_t>(thread_count(how.threads), sides.size()));
  for_each_parallel(threads, sides.size(),
                    [&](int&, std::size_t side) { sides[side] = sorted(side == 0 ? from : to); });
  for (auto a = sides[0].begin(), b = sides[1].begin();
       a != sides[0].end() && b != sides[1].end();) {
    if (a->same_key(*b)) {
      auto other = b;
      do {
        pairs.push_back({a->row, (other++)->row});
      } while (with_all && other != sides[1].end() && a->same_key(*other));
      const auto next = a + 1;
      const bool again = with_all && next != sides[0].end() && next->same_key(*a);
      a = next;
      b = again ? b : other;
    } else if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const RowPair& a, const RowPair& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return pairs;
}

// Whether no code is in both; not where one has no rows.
bool are_disjoint(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                  const Codes& codes) {
  std::vector<std::uint8_t> in_a(codes.size(), 0);
  for (const std::uint32_t code : a) {
    in_a[code] = 1;
  }
  return !a.empty() && !b.empty() &&
         std::none_of(b.begin(), b.end(), [&](std::uint32_t code) { return in_a[code] != 0; });
}

// The codes of a coordinate that the study does not have: all rows have the default of the other's.
std::vector<std::uint32_t> default_codes(const store::StudyReader& without,
                                         const store::StudyReader& with, const std::string& name,
                                         Codes& codes) {
  const std::string text = default_of(*find_column(with.schema(), name));
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

// Axes of several values that only one of the studies has.
struct LackedAxes {
  std::vector<std::string> by_to;    // of the first
  std::vector<std::string> by_from;  // of the second
};

// Whether rows can be told apart by this coordinate in both studies; false: it is left out.
bool compares(const store::StudyReader& with, const store::StudyReader& without,
              const std::string& name, std::vector<std::string>& lacked) {
  if (find_column(without.schema(), name) != nullptr) {
    return true;
  }
  const store::AxisValues* axis = find_axis(with.axes(), name);
  if (axis == nullptr) {
    return !default_of(*find_column(with.schema(), name)).empty();
  }
  if (value_count(*axis) > 1) {
    lacked.push_back(name);
  }
  return false;
}

// What becomes of axes that one study lacks: false, with the reason, where nothing can be matched.
bool judge_lacked(const store::StudyReader& from, const store::StudyReader& to,
                  const LackedAxes& lacked, Matching& matching) {
  const auto values_of = [](const store::StudyReader& reader, const std::string& name) {
    return fmt::format("'{}' has {} values", name, value_count(*find_axis(reader.axes(), name)));
  };
  if (!lacked.by_to.empty() && !lacked.by_from.empty()) {
    matching.notes.push_back(fmt::format(
        "points cannot be matched: {} in the first study and is no axis of the second, and {} in "
        "the second and is no axis of the first",
        values_of(from, lacked.by_to.front()), values_of(to, lacked.by_from.front())));
    return false;
  }
  const bool first_has = !lacked.by_to.empty();
  for (const std::string& name : first_has ? lacked.by_to : lacked.by_from) {
    matching.notes.push_back(
        fmt::format("{0} in the {1} study and is no axis of the {2}: it is ignored, and a point of "
                    "the {2} is compared with those of the {1} at all values",
                    values_of(first_has ? from : to, name), first_has ? "first" : "second",
                    first_has ? "second" : "first"));
    matching.with_all = true;
  }
  return true;
}

// What keeps rows apart that both studies can be asked for; nothing, with a note that says why,
// where they cannot be matched.
std::optional<std::vector<std::string>> coordinates_in_common(const store::StudyReader& from,
                                                              const store::StudyReader& to,
                                                              Matching& matching) {
  LackedAxes lacked;
  const std::vector<FollowingField> following = following_in_both(from, to);
  std::vector<std::string> names;
  for (const std::string& name : coordinates_of(from, following)) {
    if (!is_single(from, to, name, matching) && compares(from, to, name, lacked.by_to)) {
      names.push_back(name);
    }
  }
  for (const std::string& name : coordinates_of(to, following)) {
    if (find_column(from.schema(), name) == nullptr && compares(to, from, name, lacked.by_from)) {
      names.push_back(name);
    }
  }
  return judge_lacked(from, to, lacked, matching) ? std::optional(names) : std::nullopt;
}

// Whether equal stored values of a coordinate stand for the same in both studies.
bool has_same_meaning(const store::StudyReader& from, const store::StudyReader& to,
                      const std::string& name) {
  const store::Column* a = find_column(from.schema(), name);
  const store::Column* b = find_column(to.schema(), name);
  if (a == nullptr || b == nullptr || a->type != b->type || a->units != b->units ||
      a->labels != b->labels) {
    return false;
  }
  const store::AxisValues* x = find_axis(from.axes(), name);
  const store::AxisValues* y = find_axis(to.axes(), name);
  return x == nullptr || y == nullptr
             ? x == y
             : x->units == y->units && x->labels == y->labels && x->values == y->values;
}

// Whether all coordinates lie in the files as the same bytes: then the points are the same, in the
// same order, and nothing needs to be decoded to know it.
bool are_stored_alike(const store::StudyReader& from, const store::StudyReader& to,
                      const std::vector<std::string>& names, const ReadingOptions& how) {
  const auto same_meaning = [&](const std::string& name) {
    return has_same_meaning(from, to, name);
  };
  if (names.empty() || from.rows() != to.rows() ||
      !std::all_of(names.begin(), names.end(), same_meaning)) {
    return false;
  }
  const store::ColumnBlocks from_blocks = from.blocks(names);
  const store::ColumnBlocks to_blocks = to.blocks(names);
  std::atomic<bool> alike = from_blocks.size() == to_blocks.size();
  std::vector<int> threads(thread_count(how.threads));
  for_each_parallel(threads, from_blocks.size(), [&](int&, std::size_t block) {
    if (alike && !from_blocks.is_stored_as_in(to_blocks, block)) {
      alike = false;
    }
  });
  return alike;
}

}  // namespace

Matching match_rows(const store::StudyReader& from, const store::StudyReader& to,
                    const ReadingOptions& how) {
  Matching matching;
  const auto names = coordinates_in_common(from, to, matching);
  if (!names) {
    return matching;
  }
  if (!matching.with_all && are_stored_alike(from, to, *names, how)) {
    matching.alike = true;
    matching.pairs = numbered_pairs(static_cast<std::size_t>(from.rows()));
    return matching;
  }
  Keys keys_from{std::vector<std::uint64_t>(static_cast<std::size_t>(from.rows())), {}};
  Keys keys_to{std::vector<std::uint64_t>(static_cast<std::size_t>(to.rows())), {}};
  int used = 0;
  Pass pass(how, "matching points", names->size());
  for (const std::string& name : *names) {
    Codes codes;
    const auto read = [&](const store::StudyReader& reader, const store::StudyReader& other) {
      return find_column(reader.schema(), name) != nullptr
                 ? codes_of(reader, name, codes, how)
                 : default_codes(reader, other, name, codes);
    };
    const std::vector<std::uint32_t> a = read(from, to);
    const std::vector<std::uint32_t> b = read(to, from);
    if (are_disjoint(a, b, codes)) {
      matching.notes.push_back(fmt::format("no point is in both: '{}' has no value in both", name));
      return matching;
    }
    const int begin = begin_of(used, codes.bits());
    used = begin + codes.bits();
    if (used > most_bits) {
      matching.notes.push_back("points cannot be matched: their coordinates have too many values");
      return matching;
    }
    append(keys_from, a, begin);
    append(keys_to, b, begin);
    pass.step();
  }
  matching.alike = !matching.with_all &&
                   keys_from == keys_to;  // as where only a value of the catalog was changed
  matching.pairs = matching.alike ? numbered_pairs(keys_from.low.size())
                                  : joined(keys_from, keys_to, matching.with_all, how);
  return matching;
}

std::vector<std::string> point_names(const store::StudyReader& reader,
                                     const std::vector<std::int64_t>& rows,
                                     const ReadingOptions& how) {
  ResultTable points;
  std::vector<std::string> strategy;
  std::vector<std::string> axes;
  for (const store::Column& column : reader.schema()) {
    const store::AxisValues* axis = find_axis(reader.axes(), column.name);
    if (is_strategy_column(column)) {
      strategy.push_back(column.name);
    } else if (axis != nullptr && value_count(*axis) > 1) {
      axes.push_back(column.name);
    }
  }
  std::vector<std::string> columns = axes;
  columns.insert(columns.end(), strategy.begin(), strategy.end());
  points.schema = schema_of(reader.schema(), columns);
  points.table = read_rows(reader, columns, rows, how);
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::string> parts;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      parts.push_back(
          fmt::format("{} {}", axes[axis], cell_text(reader.axes(), points, axis, row)));
    }
    parts.push_back(strategy_text(reader.axes(), strategy, points, row));
    names.push_back(join(parts, ", "));
  }
  return names;
}

}  // namespace scalesweep::analysis
