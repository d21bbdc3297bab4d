// A study of random points on disk, for benchmarks of frontiers.
#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "store/merge/finish.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::bench {

enum class Cloud {
  uniform,          // independent objectives
  on_the_frontier,  // no point dominates another
};

// Columns point_id, status (all feasible) and objective_0 ... as f64, written as a run would.
inline void write_cloud(const std::filesystem::path& file, Cloud cloud, std::int64_t points,
                        int objectives) {
  using store::ColumnType;
  store::StudyDescription study;
  study.identity = "cloud";
  study.points = points;
  study.schema = {{"point_id", ColumnType::i64, "1", "point", "id", {}},
                  {"status", ColumnType::u8, "", "status", "status", {"ok", "does_not_fit"}}};
  for (int o = 0; o < objectives; ++o) {
    study.schema.push_back(
        {"objective_" + std::to_string(o), ColumnType::f64, "1", "objective", "random", {}});
  }
  study.count_names = {"ok", "does_not_fit"};
  store::prepare_output(file, study, store::Durability::scratch);
  constexpr std::int64_t segment_rows = 64 * 16384;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> point(static_cast<std::size_t>(objectives));
  for (std::int64_t first = 0; first < points; first += segment_rows) {
    const IdRange ids{first, std::min(first + segment_rows, points)};
    store::Table rows(study.schema);
    rows.resize(static_cast<std::size_t>(ids.size()));
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      rows.values<std::int64_t>(0)[row] = first + static_cast<std::int64_t>(row);
      double sum = 0.0;
      for (double& value : point) {
        value = uniform(generator);
        sum += value;
      }
      for (std::size_t o = 0; o < point.size(); ++o) {
        rows.values<double>(2 + o)[row] = cloud == Cloud::uniform ? point[o] : point[o] / sum;
      }
    }
    store::write_segment(file, study, ids, rows, {ids.size(), 0}, store::Durability::scratch);
  }
  store::FinishOptions options;
  options.durability = store::Durability::scratch;
  store::finish(file, study, std::nullopt, options);
}

}  // namespace scalesweep::bench
