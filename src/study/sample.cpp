#include "study/sample.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "study/identity.hpp"
#include "study/schema.hpp"

namespace scalesweep::study {
namespace {

// Of one run at most: longer ones are as fast as their first part.
constexpr std::int64_t points_per_run = 20'000;

double bytes_of(const store::Schema& schema) {
  double bytes = 0.0;
  for (const store::Column& column : schema) {
    switch (column.type) {
      case store::ColumnType::f64:
      case store::ColumnType::i64:
        bytes += 8.0;
        break;
      case store::ColumnType::f32:
      case store::ColumnType::i32:
        bytes += 4.0;
        break;
      case store::ColumnType::u8:
        bytes += 1.0;
        break;
    }
  }
  return bytes;
}

// Uniform enough, and the same everywhere, unlike std::uniform_int_distribution.
PointId random_id(std::mt19937_64& random, PointId size) {
  return static_cast<PointId>(random() % static_cast<std::uint64_t>(size));
}

}  // namespace

Sample measure_sample(const Study& study, double seconds) {
  using Clock = std::chrono::steady_clock;
  const space::Space& space = study.space();
  engine::Evaluator evaluator = study.make_evaluator();
  engine::RangeResult result{store::Table(study.description().schema), {}, 0.0};
  std::mt19937_64 random(1);
  Sample sample;
  std::int64_t rows = 0;
  double elapsed_s = 0.0;
  const auto start = Clock::now();
  do {
    const space::Run run = space.run_at(random_id(random, space.size()));
    const PointId last = std::min(run.ids.last, run.ids.first + points_per_run);
    result.rows.clear();
    result.counts.assign(status_count, 0);
    result.best_objective = std::numeric_limits<double>::infinity();
    evaluator.evaluate({run.ids.first, last}, result);
    evaluator.reduce(result);
    rows += static_cast<std::int64_t>(result.rows.rows());
    sample.points += last - run.ids.first;
    ++sample.runs;
    elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed_s < seconds);
  sample.points_per_second = static_cast<double>(sample.points) / elapsed_s;
  sample.kept_fraction = static_cast<double>(rows) / static_cast<double>(sample.points);
  sample.bytes_per_row = bytes_of(study.description().schema);
  sample.keep = keep_text(study.spec().keep);
  return sample;
}

std::vector<CoordinateText> coordinates(const Study& study, const Point& point) {
  std::vector<CoordinateText> texts;
  const std::vector<space::Axis>& axes = study.space().axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    texts.push_back({axes[a].name, axes[a].labels[static_cast<std::size_t>(point.axis_index[a])]});
  }
  const parallel::Strategy& s = point.strategy;
  texts.insert(texts.end(), {{"tensor_parallel", std::to_string(s.tensor_parallel)},
                             {"pipeline_parallel", std::to_string(s.pipeline_parallel)},
                             {"data_parallel", std::to_string(s.data_parallel)},
                             {"chunks", std::to_string(s.chunks)},
                             {"micro_batch", std::to_string(s.micro_batch)},
                             {"micro_batches", std::to_string(s.micro_batches)},
                             {"recompute", std::string(parallel::name_of(s.recompute))},
                             {"zero", std::to_string(s.zero)},
                             {"sequence_parallel", s.sequence_parallel ? "on" : "off"}});
  return texts;
}

}  // namespace scalesweep::study
