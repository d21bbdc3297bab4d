#include "analysis/effects/strategies.hpp"

#include <cmath>
#include <map>
#include <set>

#include "analysis/selection/slice.hpp"
#include "core/host/parallel.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// No factor: it follows from the other fields. So do replicas, but they stand for the sizes that
// make them.
constexpr std::string_view derived_field = "micro_batches";

// The best by value of a field; values are few, cells are many.
class FieldCollector {
 public:
  explicit FieldCollector(std::size_t cells) : cells_(cells) {}

  void add(std::int64_t value, std::size_t cell, double better) {
    if (value != last_value_ || last_ == nullptr) {
      last_ = &best_.try_emplace(value, cells_, nan).first->second;
      last_value_ = value;
    }
    double& best = (*last_)[cell];
    if (std::isnan(best) || better < best) {
      best = better;
    }
  }

  FieldBests take(const std::string& field) {
    FieldBests bests{field, {}, {}};
    for (auto& [value, better] : best_) {
      bests.values.push_back(value);
      bests.better.push_back(std::move(better));
    }
    return bests;
  }

 private:
  std::size_t cells_;
  std::map<std::int64_t, std::vector<double>> best_;  // by value and cell
  std::int64_t last_value_ = 0;
  std::vector<double>* last_ = nullptr;
};

struct Slice {
  std::int64_t first_row = 0;
  std::vector<std::vector<std::int64_t>> axes;  // of the grid
  std::vector<std::vector<std::int64_t>> strategy;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> status;
  std::vector<double> better;
  std::vector<std::uint8_t> holds;  // empty: all
};

class StrategyScanner {
 public:
  StrategyScanner(const store::StudyReader& reader, const StudyLayout& layout, const Grid& grid,
                  const std::vector<WantedStrategy>& wanted, const Selection& selection)
      : reader_(reader), layout_(layout), grid_(grid), wanted_(wanted), selection_(selection) {
    std::set<std::string> names = {std::string(point_id_column), std::string(status_column),
                                   layout.time.better};
    for (const std::size_t axis : grid.axes()) {
      names.insert(layout.axes[axis].name);
    }
    names.insert(layout.strategy.begin(), layout.strategy.end());
    names.insert(selection.columns().begin(), selection.columns().end());
    columns_.assign(names.begin(), names.end());
    schema_ = schema_of(layout.schema, columns_);
    by_cell_.resize(grid.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      by_cell_[wanted[i].cell].push_back(i);
    }
    fields_.assign(layout.strategy.size(), FieldCollector(grid.size()));
    result_.found.resize(wanted.size());
  }

  StrategyScan run() {
    const store::ColumnBlocks blocks = reader_.blocks(columns_);
    Pass pass(layout_.reading, "comparing strategies", blocks.size());
    for_each_in_order(
        thread_count(layout_.reading.threads), blocks.size(),
        [&](std::size_t block) { return slice_of(blocks.read(block), blocks.rows(block).first); },
        [&](const Slice& slice) {
          scan_slice(slice);
          pass.step();
        });
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      FieldBests bests = fields_[i].take(layout_.strategy[i]);
      if (bests.values.size() > 1 && bests.field != derived_field) {
        result_.fields.push_back(std::move(bests));
      }
    }
    return std::move(result_);
  }

 private:
  Slice slice_of(const store::Table& table, std::int64_t first_row) const {
    Slice slice;
    slice.first_row = first_row;
    for (const std::size_t axis : grid_.axes()) {
      slice.axes.push_back(axis_indices(layout_, table, schema_, axis));
    }
    for (const std::string& name : layout_.strategy) {
      slice.strategy.push_back(integers(table, schema_, name));
    }
    slice.ids = integers(table, schema_, std::string(point_id_column));
    slice.status = integers(table, schema_, std::string(status_column));
    slice.better = numbers(table, schema_, layout_.time.better);
    slice.holds = selection_.of(table, schema_);
    return slice;
  }

  void scan_slice(const Slice& slice) {
    std::vector<std::int32_t> coordinates(grid_.axes().size());
    for (std::size_t i = 0; i < slice.ids.size(); ++i) {
      if (!slice.holds.empty() && slice.holds[i] == 0) {
        continue;
      }
      for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
        coordinates[axis] = static_cast<std::int32_t>(slice.axes[axis][i]);
      }
      const std::size_t cell = grid_.cell(coordinates);
      if (slice.status[i] == 0 && !std::isnan(slice.better[i])) {
        for (std::size_t field = 0; field < fields_.size(); ++field) {
          fields_[field].add(slice.strategy[field][i], cell, slice.better[i]);
        }
      }
      for (const std::size_t which : by_cell_[cell]) {
        if (is_wanted(slice, i, wanted_[which].strategy)) {
          keep(result_.found[which], slice, i, slice.first_row + static_cast<std::int64_t>(i));
        }
      }
    }
  }

  bool is_wanted(const Slice& slice, std::size_t i, const StrategyValues& strategy) const {
    for (std::size_t field = 0; field < strategy.size(); ++field) {
      if (slice.strategy[layout_.compared[field]][i] != strategy[field]) {
        return false;
      }
    }
    return true;
  }

  static void keep(FoundStrategy& found, const Slice& slice, std::size_t i, std::int64_t row) {
    const bool feasible = slice.status[i] == 0;
    const bool replaces = feasible && (found.status != 0 || slice.better[i] < found.better);
    if (found.row < 0 || replaces) {
      found = {row, slice.status[i], slice.ids[i], feasible ? slice.better[i] : nan};
    }
  }

  const store::StudyReader& reader_;
  const StudyLayout& layout_;
  const Grid& grid_;
  const std::vector<WantedStrategy>& wanted_;
  const Selection& selection_;
  std::vector<std::string> columns_;
  store::Schema schema_;
  std::vector<std::vector<std::size_t>> by_cell_;  // wanted strategies
  std::vector<FieldCollector> fields_;
  StrategyScan result_;
};

}  // namespace

StrategyScan scan_strategies(const store::StudyReader& reader, const StudyLayout& layout,
                             const Selection& selection, const Grid& grid,
                             const std::vector<WantedStrategy>& wanted) {
  return StrategyScanner(reader, layout, grid, wanted, selection).run();
}

}  // namespace scalesweep::analysis
