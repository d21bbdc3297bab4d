// Which of the selected rows a query keeps: the best of every group or the first ones in an order.
// Each is fed slice by slice and holds no more than it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace scalesweep::analysis {

// Values of the columns that make the groups; a group for each different combination.
using GroupKey = std::vector<double>;
using Columns = std::vector<std::vector<double>>;

// The number of the group of each row, from 0 in the order of first appearance, and the keys.
struct Groups {
  std::vector<std::size_t> of_row;
  std::vector<GroupKey> keys;
};
Groups group_rows(const Columns& keys, std::size_t rows);

// The `top` rows of every group with the least value, ties to the smaller row; NaN never.
class BestRows {
 public:
  explicit BestRows(std::size_t top) : top_(top) {}
  void add(const Groups& groups, std::span<const double> values,
           std::span<const std::int64_t> rows);
  // Groups in ascending order of their keys, in each the best first.
  std::vector<std::int64_t> rows() const;

 private:
  struct Candidate {
    double value = 0.0;
    std::int64_t row = 0;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.value != b.value ? a.value < b.value : a.row < b.row;
    }
  };
  std::size_t top_;
  std::map<GroupKey, std::vector<Candidate>> groups_;  // heaps, the worst first
};

// The first `most` rows in the order of their keys, ties to the smaller row; NaN comes last.
class SortedRows {
 public:
  SortedRows(std::vector<bool> descending, std::size_t most)
      : descending_(std::move(descending)), most_(most) {}
  void add(const Columns& keys, std::span<const std::int64_t> rows);
  std::vector<std::int64_t> rows();

 private:
  std::vector<std::size_t> order() const;
  void keep(const std::vector<std::size_t>& places);

  std::vector<bool> descending_;
  std::size_t most_;
  Columns keys_;
  std::vector<std::int64_t> rows_;
};

}  // namespace scalesweep::analysis
