// A study whose values are a function of the id, evaluated at a chosen cost: what the engine is
// tested with, in threads and under mpirun.
#pragma once

#include <time.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "engine/run.hpp"
#include "store/read/reader.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::test {

struct ToyOptions {
  std::int64_t points = 10'000;
  std::int64_t chunk_rows = 64;
  double cpu_seconds_per_point = 0.0;
  bool drop_odd = false;  // rows; the counts keep them
};

inline double toy_value(PointId id) {
  return std::sin(static_cast<double>(id)) + 2.0;
}
inline std::uint8_t toy_status(PointId id) {
  return id % 3 == 0 ? 1 : 0;
}

inline store::StudyDescription toy_description(const ToyOptions& toy) {
  store::StudyDescription study;
  study.identity = "toy " + std::to_string(toy.points) + (toy.drop_odd ? " even" : "");
  study.identity_parts = {{"points", std::to_string(toy.points)}};
  study.points = toy.points;
  study.chunk_rows = toy.chunk_rows;
  study.schema = {
      {"point_id", store::ColumnType::i64, "1", "point id", "The id of the point.", {}},
      {"value", store::ColumnType::f64, "s", "value", "A function of the id.", {}},
      {"status", store::ColumnType::u8, "", "status", "What became of it.", {"ok", "bad"}},
  };
  study.axes = {{"kind", "", "The only one.", {"toy"}, {}}};
  study.count_names = {"ok", "bad"};
  study.root_attributes = {{"title", "toy"}};
  return study;
}

inline double thread_cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Time of this thread, so that a busy machine makes it slower: as real work would be.
inline void burn_cpu(double seconds) {
  const double end = thread_cpu_seconds() + seconds;
  while (thread_cpu_seconds() < end) {
  }
}

inline engine::Evaluator toy_evaluator(const ToyOptions& toy) {
  engine::Evaluator evaluator;
  evaluator.evaluate = [toy](IdRange ids, engine::RangeResult& result) {
    for (PointId id = ids.first; id < ids.last; ++id) {
      result.rows.values<std::int64_t>(0).push_back(id);
      result.rows.values<double>(1).push_back(toy_value(id));
      result.rows.values<std::uint8_t>(2).push_back(toy_status(id));
      ++result.counts[toy_status(id)];
      result.best_objective = std::min(result.best_objective, toy_value(id));
    }
    if (toy.cpu_seconds_per_point > 0.0) {
      burn_cpu(static_cast<double>(ids.size()) * toy.cpu_seconds_per_point);
    }
  };
  if (toy.drop_odd) {
    evaluator.reduce = [](engine::RangeResult& result) {
      std::vector<std::size_t> even;
      for (std::size_t row = 0; row < result.rows.rows(); ++row) {
        if (result.rows.values<std::int64_t>(0)[row] % 2 == 0) {
          even.push_back(row);
        }
      }
      result.rows.select(even);
    };
  }
  return evaluator;
}

// "" if the file holds exactly the rows that it should, in order; else what is wrong.
inline std::string toy_difference(const std::filesystem::path& file, const ToyOptions& toy) {
  const store::StudyReader reader(file);
  const std::int64_t step = toy.drop_odd ? 2 : 1;
  const std::int64_t rows = (toy.points + step - 1) / step;
  if (reader.points() != toy.points || reader.rows() != rows) {
    return "rows: " + std::to_string(reader.rows()) + ", expected " + std::to_string(rows);
  }
  const store::Table table = reader.read({"point_id", "value", "status"}, 0, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const PointId id = row * step;
    const auto at = static_cast<std::size_t>(row);
    if (table.values<std::int64_t>(0)[at] != id || table.values<double>(1)[at] != toy_value(id) ||
        table.values<std::uint8_t>(2)[at] != toy_status(id)) {
      return "row " + std::to_string(row) + " is wrong";
    }
  }
  const std::int64_t bad = (toy.points + 2) / 3;
  if (reader.counts().at("bad") != bad || reader.counts().at("ok") != toy.points - bad) {
    return "counts are wrong";
  }
  return "";
}

}  // namespace scalesweep::test
