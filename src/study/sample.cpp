#include "study/sample.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "parallel/fields.hpp"
#include "space/stored_rules.hpp"
#include "store/hdf5/chunk_codec.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {
namespace {

std::size_t width_of(store::ColumnType type) {
  switch (type) {
    case store::ColumnType::f64:
    case store::ColumnType::i64:
      return 8;
    case store::ColumnType::f32:
    case store::ColumnType::i32:
      return 4;
    case store::ColumnType::u8:
      break;
  }
  return 1;
}

// As a segment of `ids` ids holds them, headers aside: only chunks of whose rows none was dropped
// are filled up.
std::size_t stored_bytes(const store::StudyDescription& study, const store::Table& rows,
                         std::size_t ids, store::ChunkEncoder& encoder) {
  const std::size_t chunk_rows = rows.rows() < ids ? std::max<std::size_t>(rows.rows(), 1)
                                                   : static_cast<std::size_t>(study.chunk_rows);
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < study.schema.size(); ++c) {
    const std::size_t width = width_of(study.schema[c].type);
    const auto* values = static_cast<const std::uint8_t*>(rows.data(c));
    bytes += encoder.encode({values, rows.rows() * width}, width, chunk_rows).size();
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
  const store::StudyDescription& description = study.description();
  const engine::Evaluator evaluator = study.make_evaluator();
  engine::RangeResult result{store::Table(description.schema), {}, 0.0};
  store::ChunkEncoder encoder;
  std::mt19937_64 random(1);
  Sample sample;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  double elapsed_s = 0.0;
  const auto start = Clock::now();
  // What systems share is found out once in a run, which goes on for long: where most points are
  // skipped that weighs, and pieces are as long as they can be.
  const double piece_s = study.spec().keep.counts == space::Counts::bounded ? seconds / 4.0 : 0.0;
  double piece_start_s = 0.0;
  PointId first = 0;
  PointId last = space.size();
  do {
    if (last == space.size() || elapsed_s - piece_start_s >= piece_s) {
      piece_start_s = elapsed_s;
      const space::Run run = space.run_at(random_id(random, space.size()));
      first = evaluator.together > 1 ? space.searched_ids(run).first : run.ids.first;
    } else {
      first = last;
    }
    last = std::min(space.size(), first + std::max(description.chunk_rows, evaluator.together));
    result.rows.clear();
    result.counts = store::zero_counts(description);
    result.best_objective = std::numeric_limits<double>::infinity();
    evaluator.evaluate({first, last}, result);
    evaluator.reduce(result);
    bytes +=
        stored_bytes(description, result.rows, static_cast<std::size_t>(last - first), encoder);
    rows += result.rows.rows();
    sample.points += last - first;
    ++sample.ranges;
    elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed_s < seconds);
  sample.points_per_second = static_cast<double>(sample.points) / elapsed_s;
  sample.kept_fraction = static_cast<double>(rows) / static_cast<double>(sample.points);
  for (const store::Column& column : description.schema) {
    sample.bytes_per_row += static_cast<double>(width_of(column.type));
  }
  sample.stored_bytes_per_row =
      rows == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(rows);
  sample.keep = space::keep_text(study.spec().keep);
  return sample;
}

std::vector<CoordinateText> coordinates(const Study& study, const Point& point) {
  std::vector<CoordinateText> texts;
  const std::vector<space::Axis>& axes = study.space().axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    texts.push_back({axes[a].name, axes[a].labels[static_cast<std::size_t>(point.axis_index[a])]});
  }
  for (const parallel::Field* field : parallel::fields_of(study.spec().strategy)) {
    texts.push_back({std::string(field->name), parallel::text_of(*field, point.strategy)});
  }
  return texts;
}

}  // namespace scalesweep::study
