#include "analysis/bottlenecks/scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "analysis/file/columns.hpp"
#include "analysis/frontier/search.hpp"
#include "analysis/frontier/thinning.hpp"
#include "analysis/selection/kept_points.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/verdict/verdict.hpp"
#include "core/failure.hpp"
#include "core/host/parallel.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t cloud_points = 6000;  // as many as a small picture can show

bool is_before(const BestRow& a, const BestRow& b) {
  return a.better < b.better || (a.better == b.better && a.id < b.id);
}

// The rows of a cell within `tie` of the best so far, in any order; now and then those that no
// longer are leave.
class NearRows {
 public:
  void add(const BestRow& row, double best) {
    if (!(row.better <= best * (1.0 + tie))) {
      return;
    }
    rows_.push_back(row);
    if (rows_.size() > 2 * (most_tied + 1)) {
      tidy(best);
    }
  }

  // The best first.
  const std::vector<BestRow>& tidy(double best) {
    std::erase_if(rows_, [&](const BestRow& row) { return row.better > best * (1.0 + tie); });
    std::sort(rows_.begin(), rows_.end(), is_before);
    rows_.resize(std::min(rows_.size(), most_tied + 1));
    return rows_;
  }

  const std::vector<BestRow>& rows() const { return rows_; }

 private:
  std::vector<BestRow> rows_;
};

std::vector<std::size_t> grid_axes(const StudyLayout& layout) {
  std::vector<std::size_t> axes = layout.panels;
  axes.push_back(layout.along);
  return axes;
}

class Scanner {
 public:
  Scanner(const store::StudyReader& reader, const StudyLayout& layout,
          const FrontierRequest& request)
      : reader_(reader),
        layout_(layout),
        request_(request),
        search_(reader.schema(), reader.axes(), request_),
        grid_(layout, grid_axes(layout)),
        keeps_ties_(KeptPoints(reader).are_all_feasible()) {}

  Scan run() {
    std::set<std::string> names = {std::string(point_id_column), layout_.time.better};
    for (const std::size_t axis : grid_.axes()) {
      names.insert(layout_.axes[axis].name);
    }
    names.insert(search_.columns().begin(), search_.columns().end());
    const store::ColumnBlocks blocks = reader_.blocks({names.begin(), names.end()});
    std::vector<Part> parts(thread_count(request_.reading.threads), new_part());
    Pass pass(layout_.reading, "looking for frontiers", blocks.size());
    for_each_parallel(parts, blocks.size(), [&](Part& part, std::size_t block) {
      scan_block(part, blocks.read(block), blocks.schema(), blocks.rows(block).first);
      pass.step();
    });
    return join(parts);
  }

 private:
  // What one thread has found so far.
  struct Part {
    std::vector<BestRow> best;
    std::vector<NearRows> near;  // by cell; empty where the file does not keep them
    std::vector<std::int64_t> statuses;
    std::int64_t rows = 0;
    Thinning cloud{cloud_points};
    FrontierSearch::Part frontiers;
  };

  Part new_part() const {
    return {std::vector<BestRow>(grid_.size()),
            std::vector<NearRows>(keeps_ties_ ? grid_.size() : 0),
            std::vector<std::int64_t>(grid_.size() * layout_.statuses.size(), 0),
            0,
            Thinning(cloud_points),
            search_.part()};
  }

  void scan_block(Part& part, const store::Table& table, const store::Schema& schema,
                  std::int64_t first_row) const {
    const std::vector<std::size_t> cells = cells_of(table, schema);
    const std::vector<std::int64_t> status = integers(table, schema, std::string(status_column));
    const SelectedRows selected = search_.add(part.frontiers, table, schema, first_row);
    for (std::size_t i = 0; i < status.size(); ++i) {
      if (!selected.holds.empty() && selected.holds[i] == 0) {
        continue;
      }
      const auto number = static_cast<std::size_t>(status[i]);
      if (number >= layout_.statuses.size()) {
        refuse("the study is damaged: a status has no name");
      }
      ++part.rows;
      ++part.statuses[cells[i] * layout_.statuses.size() + number];
    }
    const std::vector<std::int64_t> ids = integers(table, schema, std::string(point_id_column));
    const std::vector<double> better = numbers(table, schema, layout_.time.better);
    for (std::size_t row = 0; row < selected.rows.size(); ++row) {
      const std::size_t place = selected.places[row];
      keep_best(part, cells[place], {better[place], ids[place], selected.rows[row]});
      add_to_cloud(part.cloud, selected, row, ids[place]);
    }
  }

  std::vector<std::size_t> cells_of(const store::Table& table, const store::Schema& schema) const {
    std::vector<std::size_t> cells(table.rows(), 0);
    for (const std::size_t axis : grid_.axes()) {
      const std::vector<std::int64_t> indices = axis_indices(layout_, table, schema, axis);
      const std::size_t size = layout_.axes[axis].labels.size();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] = cells[i] * size + static_cast<std::size_t>(indices[i]);
      }
    }
    return cells;
  }

  static void keep_best(Part& part, std::size_t cell, const BestRow& row) {
    BestRow& best = part.best[cell];
    if (is_before(row, best)) {
      best = row;
    }
    if (!part.near.empty()) {
      part.near[cell].add(row, best.better);
    }
  }

  // What is maximised comes negative.
  void add_to_cloud(Thinning& cloud, const SelectedRows& selected, std::size_t row,
                    PointId id) const {
    std::array<double, Thinning::most_quantities> quantities{};
    const std::size_t count = selected.objectives.size();
    for (std::size_t k = 0; k < count; ++k) {
      const double value = selected.objectives[k][row];
      if (std::isnan(value)) {
        return;
      }
      const bool negated = layout_.objectives[k].direction == Direction::maximize;
      quantities[k] = negated ? -value : value;
    }
    cloud.add(selected.groups[row], {quantities.data(), count}, id, selected.rows[row]);
  }

  static void join_best(Part& all, const Part& part, std::size_t cell) {
    if (part.best[cell].row < 0) {
      return;
    }
    if (part.near.empty()) {
      keep_best(all, cell, part.best[cell]);
      return;
    }
    for (const BestRow& row : part.near[cell].rows()) {
      keep_best(all, cell, row);
    }
  }

  // All but the best of each cell.
  std::vector<std::vector<std::int64_t>> tied_of(Part& all) const {
    std::vector<std::vector<std::int64_t>> tied(grid_.size());
    for (std::size_t cell = 0; cell < all.near.size(); ++cell) {
      for (const BestRow& row : all.near[cell].tidy(all.best[cell].better)) {
        if (row.row != all.best[cell].row) {
          tied[cell].push_back(row.row);
        }
      }
    }
    return tied;
  }

  Scan join(std::vector<Part>& parts) const {
    Scan scan(grid_);
    Part& all = parts.front();
    for (std::size_t p = 1; p < parts.size(); ++p) {
      for (std::size_t cell = 0; cell < all.best.size(); ++cell) {
        join_best(all, parts[p], cell);
      }
      std::transform(all.statuses.begin(), all.statuses.end(), parts[p].statuses.begin(),
                     all.statuses.begin(), std::plus<>());
      all.rows += parts[p].rows;
      all.cloud.merge(parts[p].cloud);
    }
    std::vector<FrontierSearch::Part> searched;
    for (Part& part : parts) {
      searched.push_back(std::move(part.frontiers));
    }
    scan.per = request_.per;
    scan.frontiers = search_.finish(searched);
    for (const FrontierGroup& group : scan.frontiers.groups) {
      scan.frontier.insert(scan.frontier.end(), group.rows.begin(), group.rows.end());
    }
    scan.tied = tied_of(all);
    scan.keeps_ties = keeps_ties_;
    scan.best = std::move(all.best);
    scan.statuses = std::move(all.statuses);
    scan.cloud = all.cloud.rows();
    scan.feasible_rows = scan.frontiers.selected_rows;
    scan.rows = all.rows;
    return scan;
  }

  const store::StudyReader& reader_;
  const StudyLayout& layout_;
  FrontierRequest request_;
  FrontierSearch search_;
  Grid grid_;
  bool keeps_ties_;
};

}  // namespace

Scan scan_study(const store::StudyReader& reader, const StudyLayout& layout,
                const FrontierRequest& request) {
  return Scanner(reader, layout, request).run();
}

}  // namespace scalesweep::analysis
