#include "reduce/frontier/frontier_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/contracts.hpp"
#include "reduce/frontier/kernels.hpp"

namespace scalesweep::reduce {
namespace {

constexpr std::size_t least_to_reduce = 16384;  // rows that wait
constexpr std::size_t sample_size = 1024;       // of rows, to learn from
constexpr std::size_t sampled_of_tile = 32;
constexpr std::size_t most_candidates = 4096;
constexpr std::size_t window_size = 128;
// The window is compared in steps of growing length: most rows are gone after the first few points.
constexpr std::array<std::size_t, 6> window_steps = {1, 3, 8, 24, 64, window_size};

using SampleBits = std::array<std::uint64_t, sample_size / 64>;

std::size_t count_new(const SampleBits& covered, const SampleBits& known) {
  std::size_t count = 0;
  for (std::size_t word = 0; word < covered.size(); ++word) {
    count += static_cast<std::size_t>(std::popcount(covered[word] & ~known[word]));
  }
  return count;
}

}  // namespace

// Rows of one tile that are still in question, side by side.
struct FrontierBuilder::Tile {
  std::size_t rows = 0;
  std::array<std::array<double, tile_rows>, max_columns> columns;
  std::array<double, tile_rows> sums;
  std::array<std::int64_t, tile_rows> ids;
  std::array<std::int64_t, tile_rows> dead;

  void clear_marks() { std::fill_n(dead.begin(), rows, std::int64_t{0}); }

  void drop_dead(std::size_t column_count) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < column_count; ++i) {
        columns[i][kept] = columns[i][row];
      }
      sums[kept] = sums[row];
      ids[kept] = ids[row];
      kept += dead[row] == 0 ? 1 : 0;
    }
    rows = kept;
  }
};

struct FrontierBuilder::Candidate {
  std::vector<double> point;
  SampleBits covered{};  // rows of the sample that it dominates
};

FrontierBuilder::FrontierBuilder(std::size_t objectives, std::int32_t ranks, std::size_t carried)
    : objective_count_(objectives),
      ranks_(ranks),
      columns_(objectives + carried),
      reduce_at_(least_to_reduce),
      sample_(objectives) {
  SCALESWEEP_EXPECT(objectives >= 1 && objectives + carried <= max_columns && ranks >= 1);
}

std::vector<std::span<const double>> FrontierBuilder::objectives() const {
  return {columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(objective_count_)};
}

void FrontierBuilder::add(std::span<const std::span<const double>> columns,
                          std::span<const std::int64_t> ids) {
  SCALESWEEP_EXPECT(columns.size() == columns_.size());
  for (std::size_t first = 0; first < ids.size(); first += tile_rows) {
    const std::size_t rows = std::min(tile_rows, ids.size() - first);
    std::array<std::span<const double>, max_columns> tile;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      tile[i] = columns[i].subspan(first, rows);
    }
    add_tile({tile.data(), columns.size()}, ids.subspan(first, rows));
    if (ids_.size() >= reduce_at_) {
      reduce();
    }
  }
}

// The scales decide how fast a frontier is found, never what is on it: any will do.
void FrontierBuilder::scale_by(std::span<const std::span<const double>> columns) {
  scales_.clear();
  for (const std::span<const double> column : columns.first(objective_count_)) {
    double most = 0.0;
    for (const double value : column) {
      most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
    }
    constexpr int most_exponent = 500;
    int exponent = 0;
    std::frexp(most, &exponent);
    scales_.push_back(std::ldexp(1.0, std::clamp(-exponent, -most_exponent, most_exponent)));
  }
}

// Rounding is monotone, and so are the sums: where a point is nowhere worse than another, its sum
// is not larger, and where the sum is smaller the points differ.
double FrontierBuilder::sum_of(std::span<const double> point) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    sum += scales_[i] * point[i];
  }
  return sum;
}

void FrontierBuilder::fill(Tile& tile, std::span<const std::span<const double>> columns,
                           std::span<const std::int64_t> ids) {
  tile.rows = ids.size();
  tile.clear_marks();
  std::fill_n(tile.sums.begin(), tile.rows, 0.0);
  std::copy(ids.begin(), ids.end(), tile.ids.begin());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::copy(columns[i].begin(), columns[i].end(), tile.columns[i].begin());
  }
  for (std::size_t i = 0; i < objective_count_; ++i) {
    mark_nan(columns[i].data(), tile.rows, tile.dead.data());
    for (std::size_t row = 0; row < tile.rows; ++row) {
      tile.sums[row] += scales_[i] * columns[i][row];
    }
  }
  const std::size_t rows = tile.rows;
  tile.drop_dead(columns.size());
  rows_with_nan_ += static_cast<std::int64_t>(rows - tile.rows);
  if (rows == tile.rows) {
    take_sample(columns);
  }
}

void FrontierBuilder::add_tile(std::span<const std::span<const double>> columns,
                               std::span<const std::int64_t> ids) {
  if (scales_.empty()) {
    scale_by(columns);
  }
  Tile tile;
  fill(tile, columns, ids);
  std::array<const double*, max_columns> views{};
  for (std::size_t i = 0; i < objective_count_; ++i) {
    views[i] = tile.columns[i].data();
  }
  std::size_t next = 0;
  for (std::size_t step = 0; next < window_.size(); ++step) {
    tile.clear_marks();
    for (; next < std::min(window_steps[step], window_.size()); ++next) {
      mark_dominated({views.data(), objective_count_}, tile.sums.data(), tile.rows, window_[next],
                     window_sums_[next], tile.dead.data());
    }
    tile.drop_dead(columns.size());
  }
  append(tile);
}

// A few rows of every tile, spread over it; the latest ones replace the earliest.
void FrontierBuilder::take_sample(std::span<const std::span<const double>> columns) {
  const std::size_t rows = columns.front().size();
  const std::size_t step = std::max<std::size_t>(rows / sampled_of_tile, 1);
  for (std::size_t row = 0; row < rows; row += step, ++sampled_) {
    for (std::size_t i = 0; i < objective_count_; ++i) {
      if (sample_[i].size() < sample_size) {
        sample_[i].push_back(columns[i][row]);
      } else {
        sample_[i][sampled_ % sample_size] = columns[i][row];
      }
    }
  }
}

void FrontierBuilder::append(const Tile& tile) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].insert(columns_[i].end(), tile.columns[i].begin(),
                       tile.columns[i].begin() + static_cast<std::ptrdiff_t>(tile.rows));
  }
  ids_.insert(ids_.end(), tile.ids.begin(),
              tile.ids.begin() + static_cast<std::ptrdiff_t>(tile.rows));
}

void FrontierBuilder::keep(const std::vector<std::size_t>& rows) {
  const auto pick = [&](auto& values) {
    std::remove_reference_t<decltype(values)> kept;
    kept.reserve(rows.size());
    for (const std::size_t row : rows) {
      kept.push_back(values[row]);
    }
    values = std::move(kept);
  };
  for (std::vector<double>& column : columns_) {
    pick(column);
  }
  pick(ids_);
}

void FrontierBuilder::reduce() {
  std::vector<std::size_t> kept;
  std::vector<std::int32_t> kept_ranks;
  if (ranks_ == 1) {
    kept = pareto_frontier(objectives(), ids_);
    kept_ranks.assign(kept.size(), 1);
  } else {
    const std::vector<std::int32_t> ranks = dominance_ranks(objectives(), ids_, ranks_);
    for (std::size_t row = 0; row < ranks.size(); ++row) {
      if (ranks[row] > 0) {
        kept.push_back(row);
        kept_ranks.push_back(ranks[row]);
      }
    }
  }
  keep(kept);
  reduce_at_ = std::max(least_to_reduce, 3 * ids_.size());
  choose_window(kept_ranks);
}

// Points of the last rank, at most about `most_candidates`: what they dominate is behind the ranks
// that are kept.
std::vector<FrontierBuilder::Candidate> FrontierBuilder::window_candidates(
    const std::vector<std::int32_t>& ranks) const {
  const std::size_t samples = sample_.front().size();
  std::array<const double*, max_columns> views{};
  std::array<double, tile_rows> sums{};
  std::array<std::int64_t, tile_rows> dead{};
  static_assert(sample_size <= tile_rows);
  for (std::size_t i = 0; i < objective_count_; ++i) {
    views[i] = sample_[i].data();
    for (std::size_t row = 0; row < samples; ++row) {
      sums[row] += scales_[i] * sample_[i][row];
    }
  }
  const std::size_t step = ranks.size() / most_candidates + 1;
  std::vector<Candidate> candidates;
  for (std::size_t row = 0; row < ranks.size(); row += step) {
    if (ranks[row] != ranks_) {
      continue;
    }
    Candidate candidate;
    for (std::size_t i = 0; i < objective_count_; ++i) {
      candidate.point.push_back(columns_[i][row]);
    }
    std::fill_n(dead.begin(), samples, std::int64_t{0});
    mark_dominated({views.data(), objective_count_}, sums.data(), samples, candidate.point,
                   sum_of(candidate.point), dead.data());
    for (std::size_t s = 0; s < samples; ++s) {
      candidate.covered[s / 64] |= (dead[s] != 0 ? std::uint64_t{1} : 0) << (s % 64);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Greedily the points that dominate most of the sample that no earlier one does.
void FrontierBuilder::choose_window(const std::vector<std::int32_t>& ranks) {
  const std::vector<Candidate> candidates = window_candidates(ranks);
  window_.clear();
  window_sums_.clear();
  SampleBits known{};
  while (window_.size() < window_size) {
    std::size_t gain = 0;
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates) {
      const std::size_t more = count_new(candidate.covered, known);
      if (more > gain) {
        gain = more;
        best = &candidate;
      }
    }
    if (best == nullptr) {
      return;
    }
    for (std::size_t word = 0; word < known.size(); ++word) {
      known[word] |= best->covered[word];
    }
    window_.push_back(best->point);
    window_sums_.push_back(sum_of(best->point));
  }
}

void FrontierBuilder::merge(const FrontierBuilder& other) {
  SCALESWEEP_EXPECT(other.columns_.size() == columns_.size() && other.ranks_ == ranks_);
  // Through the window of this one, which drops most of what the other holds.
  add(std::vector<std::span<const double>>(other.columns_.begin(), other.columns_.end()),
      other.ids_);
  rows_with_nan_ += other.rows_with_nan_;
}

RankedRows FrontierBuilder::finish() {
  const std::vector<std::int32_t> ranks = dominance_ranks(objectives(), ids_, ranks_);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < ranks.size(); ++row) {
    if (ranks[row] > 0) {
      kept.push_back(row);
    }
  }
  std::sort(kept.begin(), kept.end(),
            [this](std::size_t a, std::size_t b) { return ids_[a] < ids_[b]; });
  RankedRows result;
  for (const std::size_t row : kept) {
    result.ranks.push_back(ranks[row]);
  }
  keep(kept);
  result.columns = std::move(columns_);
  result.ids = std::move(ids_);
  return result;
}

}  // namespace scalesweep::reduce
