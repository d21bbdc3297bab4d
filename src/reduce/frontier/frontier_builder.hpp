// The frontier of rows that come block by block: memory grows with the frontier, not with the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reduce/frontier/pareto.hpp"

namespace scalesweep::reduce {

// Rows with their objectives, and behind them what was carried along, side by side.
struct RankedRows {
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> ids;    // ascending
  std::vector<std::int32_t> ranks;  // 1 is the frontier
};

// All objectives minimised. What comes out depends on the rows alone: not on their order, on how
// they were cut into blocks, or on how builders of parts were merged.
//
// Most rows of a large study are dominated by very few others. A window of points that dominate
// most, learned from the rows themselves, is compared with every row in one linear pass of vector
// instructions; what survives is collected and reduced exactly now and then.
class FrontierBuilder {
 public:
  // `ranks` of dominance_ranks are kept, 1 or more. `carried` columns come along and decide
  // nothing; with the objectives they are 1 to max_columns.
  explicit FrontierBuilder(std::size_t objectives, std::int32_t ranks = 1, std::size_t carried = 0);

  // Objectives, then carried columns; ids as for pareto_frontier, distinct over all calls.
  void add(std::span<const std::span<const double>> columns, std::span<const std::int64_t> ids);
  void merge(const FrontierBuilder& other);  // of the same objectives and ranks
  RankedRows finish();                       // uses it up

  std::size_t waiting() const { return ids_.size(); }  // rows held in memory
  void reduce();                                       // to those that may still be wanted
  std::int64_t rows_with_nan() const { return rows_with_nan_; }

 private:
  struct Tile;
  struct Candidate;

  void add_tile(std::span<const std::span<const double>> columns,
                std::span<const std::int64_t> ids);
  void fill(Tile& tile, std::span<const std::span<const double>> columns,
            std::span<const std::int64_t> ids);
  void scale_by(std::span<const std::span<const double>> columns);
  void take_sample(std::span<const std::span<const double>> columns);
  void append(const Tile& tile);
  void keep(const std::vector<std::size_t>& rows);
  void choose_window(const std::vector<std::int32_t>& ranks);
  std::vector<Candidate> window_candidates(const std::vector<std::int32_t>& ranks) const;
  double sum_of(std::span<const double> point) const;
  std::vector<std::span<const double>> objectives() const;

  std::size_t objective_count_;
  std::int32_t ranks_;
  std::vector<double> scales_;  // powers of two that make objectives comparable; empty: none yet
  std::vector<std::vector<double>> columns_;
  std::vector<std::int64_t> ids_;
  std::size_t reduce_at_;
  std::vector<std::vector<double>> window_;  // points, the most dominating first
  std::vector<double> window_sums_;
  std::vector<std::vector<double>> sample_;  // columns of rows as they came
  std::size_t sampled_ = 0;
  std::int64_t rows_with_nan_ = 0;
};

}  // namespace scalesweep::reduce
