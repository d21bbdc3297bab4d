#include "analysis/diff/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/file/columns.hpp"
#include "core/host/parallel.hpp"
#include "reduce/median.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

using store::StudyReader;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string label_of(const store::Column& column, double stored) {
  const bool known = stored >= 0.0 && stored < static_cast<double>(column.labels.size());
  return known ? column.labels[static_cast<std::size_t>(stored)] : fmt::format("{:g}", stored);
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.6g}", value);
}

// Values of one column in consecutive rows of a study.
struct Values {
  std::int64_t first_row = 0;
  std::vector<double> numbers;

  double at(std::int64_t row) const { return numbers[static_cast<std::size_t>(row - first_row)]; }
};

// The values of all rows.
Values whole_column(const store::ColumnBlocks& blocks, const std::string& name, std::int64_t rows,
                    const ReadingOptions& how) {
  Values result{0, std::vector<double>(static_cast<std::size_t>(rows))};
  std::vector<int> threads(thread_count(how.threads));
  for_each_parallel(threads, blocks.size(), [&](int&, std::size_t block) {
    const std::vector<double> values = numbers(blocks.read(block), blocks.schema(), name);
    std::copy(values.begin(), values.end(), result.numbers.begin() + blocks.rows(block).first);
  });
  return result;
}

// What some of the pairs come to.
struct Part {
  std::int64_t differing = 0;
  std::vector<double> relative;                             // of values that can be compared so
  std::map<std::pair<double, double>, std::int64_t> moves;  // of names, as they are stored
  std::int64_t row = -1;                                    // of `from`, where it differs most
  double largest = 0.0;                                     // there
  double from = 0.0, to = 0.0;
};

class Comparison {
 public:
  Comparison(const store::Column& from, const store::Column& to)
      : from_column_(from),
        to_column_(to),
        has_labels_(!from_column_.labels.empty() || !to_column_.labels.empty()),
        same_labels_(from_column_.labels == to_column_.labels) {}

  // Whether equal stored values stand for the same.
  bool same_meaning() const { return same_labels_ && from_column_.type == to_column_.type; }

  // Whether the values of as many rows are so to the last bit: most are, and this is quick.
  bool are_same(const store::Table& from, const store::Table& to) const {
    return same_meaning() && std::memcmp(from.data(0), to.data(0),
                                         from.rows() * store::type_bytes(from_column_.type)) == 0;
  }

  // Of the pairs [first, last), whose rows both have; marks those that differ.
  Part compare(const Values& from, const Values& to, const std::vector<RowPair>& pairs,
               std::size_t first, std::size_t last, std::vector<std::uint8_t>& differs) const {
    Part part;
    for (std::size_t p = first; p < last; ++p) {
      const double a = from.at(pairs[p].from);
      const double b = to.at(pairs[p].to);
      if (!equal(a, b)) {
        differs[p] = 1;
        add(part, pairs[p].from, a, b);
      }
    }
    return part;
  }

  // Parts come in the order of their rows.
  static void merge(Part& all, Part& part) {
    if (part.row >= 0 && (all.row < 0 || std::fabs(part.largest) > std::fabs(all.largest))) {
      all.row = part.row;
      all.largest = part.largest;
      all.from = part.from;
      all.to = part.to;
    }
    all.differing += part.differing;
    all.relative.insert(all.relative.end(), part.relative.begin(), part.relative.end());
    for (const auto& [move, count] : part.moves) {
      all.moves[move] += count;
    }
  }

  ColumnComparison result(Part& all) const {
    ColumnComparison compared;
    compared.row = all.row;
    ColumnChange& change = compared.change;
    change.name = from_column_.name;
    change.units = from_column_.units;
    change.differing = all.differing;
    change.median_relative = nan;
    change.largest_relative = nan;
    if (!all.relative.empty()) {
      change.median_relative = reduce::median_of(all.relative);
      change.largest_relative = all.largest;
    }
    change.from = has_labels_ ? label_of(from_column_, all.from) : number_text(all.from);
    change.to = has_labels_ ? label_of(to_column_, all.to) : number_text(all.to);
    for (const auto& [move, count] : all.moves) {
      compared.moves[{label_of(from_column_, move.first), label_of(to_column_, move.second)}] +=
          count;
    }
    return compared;
  }

 private:
  bool equal(double a, double b) const {
    if (!same_labels_) {
      return label_of(from_column_, a) == label_of(to_column_, b);
    }
    return a == b || (std::isnan(a) && std::isnan(b));
  }

  void add(Part& part, std::int64_t row, double a, double b) const {
    ++part.differing;
    if (has_labels_) {
      ++part.moves[{a, b}];
    }
    const bool measured = !has_labels_ && std::isfinite(a) && std::isfinite(b) && a != 0.0;
    const double relative = measured ? (b - a) / a : 0.0;
    if (measured) {
      part.relative.push_back(relative);
    }
    if (part.row < 0 || std::fabs(relative) > std::fabs(part.largest)) {
      part.row = row;
      part.largest = relative;
      part.from = a;
      part.to = b;
    }
  }

  const store::Column& from_column_;
  const store::Column& to_column_;
  bool has_labels_;
  bool same_labels_;
};

bool have_same_rows(const store::ColumnBlocks& from, const store::ColumnBlocks& to) {
  bool same = from.size() == to.size();
  for (std::size_t block = 0; same && block < from.size(); ++block) {
    same = from.rows(block).first == to.rows(block).first &&
           from.rows(block).last == to.rows(block).last;
  }
  return same;
}

}  // namespace

ColumnComparison compare_column(const StudyReader& from, const StudyReader& to,
                                const std::string& name, const Matching& matching,
                                const ReadingOptions& how, std::vector<std::uint8_t>& differs) {
  const Comparison comparison(*find_column(from.schema(), name), *find_column(to.schema(), name));
  const store::ColumnBlocks from_blocks = from.blocks({name});
  const store::ColumnBlocks to_blocks = to.blocks({name});
  const std::size_t threads = thread_count(how.threads);
  const std::vector<RowPair>& pairs = matching.pairs;
  Part all;
  const auto merge = [&](Part& part) { Comparison::merge(all, part); };
  if (matching.alike && have_same_rows(from_blocks, to_blocks)) {
    const auto compare_block = [&](std::size_t block) {
      if (comparison.same_meaning() && from_blocks.is_stored_as_in(to_blocks, block)) {
        return Part{};
      }
      const store::RowRange rows = from_blocks.rows(block);
      const store::Table a = from_blocks.read(block);
      const store::Table b = to_blocks.read(block);
      if (comparison.are_same(a, b)) {
        return Part{};
      }
      return comparison.compare({rows.first, numbers(a, from_blocks.schema(), name)},
                                {rows.first, numbers(b, to_blocks.schema(), name)}, pairs,
                                static_cast<std::size_t>(rows.first),
                                static_cast<std::size_t>(rows.last), differs);
    };
    for_each_in_order(threads, from_blocks.size(), compare_block, merge);
    return comparison.result(all);
  }
  constexpr std::size_t at_once = 1 << 16;
  const Values from_values = whole_column(from_blocks, name, from.rows(), how);
  const Values to_values = whole_column(to_blocks, name, to.rows(), how);
  const auto compare_part = [&](std::size_t part) {
    const std::size_t first = part * at_once;
    return comparison.compare(from_values, to_values, pairs, first,
                              std::min(first + at_once, pairs.size()), differs);
  };
  for_each_in_order(threads, (pairs.size() + at_once - 1) / at_once, compare_part, merge);
  return comparison.result(all);
}

}  // namespace scalesweep::analysis
