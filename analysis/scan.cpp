#include "analysis/scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>

#include "analysis/columns.hpp"
#include "analysis/slice.hpp"
#include "core/failure.hpp"
#include "reduce/pareto.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t cloud_points = 6000;  // as many as a small picture can show

// The frontier of one workload: what is on it so far.
struct Frontier {
  std::vector<std::vector<double>> objectives;  // one column per objective
  std::vector<PointId> ids;
  std::vector<std::int64_t> rows;

  void keep(const std::vector<std::size_t>& members) {
    const auto pick = [&](auto& values) {
      std::remove_reference_t<decltype(values)> kept;
      kept.reserve(members.size());
      for (const std::size_t member : members) {
        kept.push_back(values[member]);
      }
      values = std::move(kept);
    };
    for (std::vector<double>& column : objectives) {
      pick(column);
    }
    pick(ids);
    pick(rows);
  }

  void reduce_to_frontier() {
    std::vector<std::span<const double>> columns(objectives.begin(), objectives.end());
    keep(reduce::pareto_frontier(columns, ids));
  }
};

// A slice of the study, its columns converted once.
struct SliceColumns {
  std::int64_t first_row = 0;
  std::vector<PointId> ids;
  std::vector<std::int64_t> status;
  std::vector<double> better;                   // what the best has least of
  std::vector<std::vector<std::int64_t>> axes;  // of the grid
  std::vector<std::vector<double>> objectives;
};

class Scanner {
 public:
  Scanner(const store::StudyReader& reader, const StudyLayout& layout)
      : reader_(reader),
        layout_(layout),
        scan_(Grid(layout, grid_axes(layout))),
        workloads_(layout, layout.workloads),
        cloud_(cloud_points) {
    scan_.best.resize(scan_.grid.size());
    scan_.statuses.resize(scan_.grid.size() * layout.statuses.size());
    std::set<std::string> names = {std::string(point_id_column), std::string(status_column),
                                   std::string(layout.time.better)};
    for (const std::size_t axis : scan_.grid.axes()) {
      names.insert(layout.axes[axis].name);
    }
    for (const Objective& objective : layout.objectives) {
      names.insert(objective.column);
    }
    columns_.assign(names.begin(), names.end());
    schema_ = schema_of(layout, columns_);
  }

  Scan run() {
    for (std::int64_t first = 0; first < reader_.rows(); first += slice_rows) {
      scan_slice(read_slice(first, std::min(first + slice_rows, reader_.rows())));
    }
    for (auto& [workload, frontier] : frontiers_) {
      scan_.frontier.insert(scan_.frontier.end(), frontier.rows.begin(), frontier.rows.end());
    }
    scan_.cloud = cloud_.rows();
    return std::move(scan_);
  }

 private:
  static std::vector<std::size_t> grid_axes(const StudyLayout& layout) {
    std::vector<std::size_t> axes = layout.panels;
    axes.push_back(layout.along);
    return axes;
  }

  SliceColumns read_slice(std::int64_t first, std::int64_t last) const {
    const store::Table table = reader_.read(columns_, first, last);
    SliceColumns slice;
    slice.first_row = first;
    slice.ids = integers(table, schema_, std::string(point_id_column));
    slice.status = integers(table, schema_, std::string(status_column));
    slice.better = numbers(table, schema_, std::string(layout_.time.better));
    for (const std::size_t axis : scan_.grid.axes()) {
      slice.axes.push_back(axis_indices(layout_, table, schema_, axis));
    }
    for (const Objective& objective : layout_.objectives) {
      slice.objectives.push_back(quantities(layout_, table, schema_, objective.column));
      if (objective.direction == Direction::maximize) {
        for (double& value : slice.objectives.back()) {
          value = -value;  // the frontier minimises
        }
      }
    }
    return slice;
  }

  void scan_slice(const SliceColumns& slice) {
    std::vector<std::int32_t> coordinates(scan_.grid.axes().size());
    for (std::size_t i = 0; i < slice.ids.size(); ++i) {
      for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
        coordinates[axis] = static_cast<std::int32_t>(slice.axes[axis][i]);
      }
      const std::size_t cell = scan_.grid.cell(coordinates);
      const auto status = static_cast<std::size_t>(slice.status[i]);
      if (status >= layout_.statuses.size()) {
        throw Failure(ExitCode::bad_input, "the study is damaged: a status has no name");
      }
      ++scan_.statuses[cell * layout_.statuses.size() + status];
      if (status == 0) {
        add_feasible(slice, i, cell, coordinates);
      }
    }
    for (auto& [workload, frontier] : frontiers_) {
      frontier.reduce_to_frontier();
    }
  }

  void add_feasible(const SliceColumns& slice, std::size_t i, std::size_t cell,
                    const std::vector<std::int32_t>& coordinates) {
    ++scan_.feasible_rows;
    const std::int64_t row = slice.first_row + static_cast<std::int64_t>(i);
    BestRow& best = scan_.best[cell];
    const double better = slice.better[i];
    if (better < best.better || (better == best.better && slice.ids[i] < best.id)) {
      best = {better, slice.ids[i], row};
    }
    std::vector<double> objectives;
    for (const std::vector<double>& column : slice.objectives) {
      objectives.push_back(column[i]);
    }
    if (std::any_of(objectives.begin(), objectives.end(), [](double v) { return std::isnan(v); })) {
      ++scan_.without_objective;
      return;
    }
    const std::size_t workload = workload_of(coordinates);
    Frontier& frontier = frontiers_[workload];
    frontier.objectives.resize(objectives.size());
    for (std::size_t k = 0; k < objectives.size(); ++k) {
      frontier.objectives[k].push_back(objectives[k]);
    }
    frontier.ids.push_back(slice.ids[i]);
    frontier.rows.push_back(row);
    cloud_.add(static_cast<std::int64_t>(workload), objectives, slice.ids[i], row);
  }

  std::size_t workload_of(const std::vector<std::int32_t>& coordinates) const {
    std::vector<std::int32_t> workload;
    for (const std::size_t axis : workloads_.axes()) {
      const auto& axes = scan_.grid.axes();
      const auto place = std::find(axes.begin(), axes.end(), axis) - axes.begin();
      workload.push_back(coordinates[static_cast<std::size_t>(place)]);
    }
    return workloads_.cell(workload);
  }

  const store::StudyReader& reader_;
  const StudyLayout& layout_;
  Scan scan_;
  Grid workloads_;
  Thinning cloud_;
  std::vector<std::string> columns_;
  store::Schema schema_;
  std::map<std::size_t, Frontier> frontiers_;  // by workload
};

}  // namespace

Scan scan_study(const store::StudyReader& reader, const StudyLayout& layout) {
  return Scanner(reader, layout).run();
}

}  // namespace scalesweep::analysis
