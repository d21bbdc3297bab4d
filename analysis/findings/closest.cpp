#include "analysis/findings/closest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/file/columns.hpp"
#include "analysis/verdict/why/obstacle.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

constexpr const char* no_weights_fit =
    "not even the weights fit anywhere: use more accelerators, more tensor or pipeline "
    "parallelism, or weights in fewer bits";

struct Candidate {
  std::int64_t row = -1;
  double value = 0.0;
};

const store::Column* column_named(const store::Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  return found == schema.end() ? nullptr : &*found;
}

std::optional<std::int64_t> status_named(const store::Column& status, std::string_view name) {
  const auto found = std::find(status.labels.begin(), status.labels.end(), name);
  return found == status.labels.end() ? std::nullopt
                                      : std::optional<std::int64_t>(found - status.labels.begin());
}

// The row with that status that has the best of a column.
std::optional<Candidate> extreme(const store::StudyReader& reader, const store::Column& column,
                                 std::int64_t wanted) {
  const std::vector<std::string> names = {std::string(status_column), column.name};
  const double sign = larger_is_better(column) ? -1.0 : 1.0;
  const store::ColumnBlocks blocks = reader.blocks(names);
  std::optional<Candidate> best;
  const auto improve = [&](const std::optional<Candidate>& candidate) {
    if (candidate && (!best || sign * candidate->value < sign * best->value)) {
      best = candidate;
    }
  };
  const auto best_of_block = [&](std::size_t block) {
    const store::Table table = blocks.read(block);
    const std::vector<std::int64_t> status = integers(table, blocks.schema(), names[0]);
    const std::vector<double> values = numbers(table, blocks.schema(), names[1]);
    std::optional<Candidate> found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (status[i] == wanted && !std::isnan(values[i]) &&
          (!found || sign * values[i] < sign * found->value)) {
        found = Candidate{blocks.rows(block).first + static_cast<std::int64_t>(i), values[i]};
      }
    }
    return found;
  };
  for_each_in_order(thread_count(0), blocks.size(), best_of_block, improve);
  return best;
}

// "point 17: device h100-sxm, tensor_parallel 8", of axes and sizes that are not always the same.
std::string point_text(const store::StudyReader& reader, std::int64_t row) {
  std::vector<std::string> names = {std::string(point_id_column)};
  std::vector<std::string> parts;
  for (const store::AxisValues& axis : reader.axes()) {
    if (axis.labels.size() > 1) {
      names.push_back(axis.name);
    }
  }
  for (const store::Column& column : reader.schema()) {
    if (is_strategy_column(column) && column.labels.empty()) {
      names.push_back(column.name);
    }
  }
  const store::Table table = reader.read(names, row, row + 1);
  for (std::size_t i = 1; i < names.size(); ++i) {
    const auto number = static_cast<std::int64_t>(table.number(i, 0));
    const store::AxisValues* axis = find_axis(reader.axes(), names[i]);
    parts.push_back(fmt::format(
        "{} {}", names[i],
        axis == nullptr ? std::to_string(number) : axis->labels[static_cast<std::size_t>(number)]));
  }
  return fmt::format("point {}: {}", static_cast<std::int64_t>(table.number(0, 0)),
                     join(parts, ", "));
}

std::string no_layout_fits(double times) {
  return fmt::format(
      "no layout fits into memory; what needs the least takes {:.3g} times that of a device",
      times);
}

// Of all points, kept or not, the nearest of a status; NaN where the file does not say.
double counted_nearest(const store::StudyReader& reader, std::int64_t status) {
  double nearest = std::nan("");
  const store::Column& statuses = *column_named(reader.schema(), status_column);
  const store::Column* const column = column_with(
      reader.schema(), role::nearest_of, statuses.labels.at(static_cast<std::size_t>(status)));
  const std::vector<store::StoredOutcomes> tables = reader.outcomes();
  if (column == nullptr || tables.empty()) {
    return nearest;
  }
  for (const store::OutcomeRow& row : tables.front().rows) {
    if (row.status == status) {
      nearest = better_of(*column, nearest, row.nearest);
    }
  }
  return nearest;
}

// Nothing fits, and the file keeps no point of it.
std::vector<std::string> unkept_unfit(const store::Column& column, double nearest) {
  if (std::isnan(nearest)) {
    return {};
  }
  if (column.units == "B") {
    return {no_layout_fits(nearest)};
  }
  return {nearest >= 1.0 ? fmt::format("no batch of the study fits; the largest that would has "
                                       "{:.0f} requests",
                                       nearest)
                         : no_weights_fit};
}

}  // namespace

std::vector<std::string> closest_points(const store::StudyReader& reader) {
  const store::Column* status = column_named(reader.schema(), status_column);
  const std::map<std::string, std::int64_t> counts = reader.counts();
  const auto count_of = [&](std::string_view name) {
    const auto found = counts.find(std::string(name));
    return found == counts.end() ? std::int64_t{0} : found->second;
  };
  if (status == nullptr || count_of("ok") > 0) {
    return {};
  }
  const auto missed = status_named(*status, missed_status);
  const store::Column* miss = column_with(reader.schema(), role::nearest_of, missed_status);
  if (missed && miss != nullptr && count_of(missed_status) > 0) {
    const auto closest = extreme(reader, *miss, *missed);
    if (!closest) {
      const double nearest = counted_nearest(reader, *missed);
      return {fmt::format(
          "no point meets the limits{}, and the file keeps none that misses them: run it again "
          "with --keep all to see which comes closest",
          std::isnan(nearest) ? "" : "; the closest is " + beyond_limits_words(nearest))};
    }
    return {fmt::format("no point meets the limits; closest, {}, is {}",
                        beyond_limits_words(closest->value), point_text(reader, closest->row))};
  }
  const auto unfit = status_named(*status, unfit_status);
  const store::Column* batch = column_with(reader.schema(), role::nearest_of, unfit_status);
  if (!unfit || batch == nullptr) {
    return {};
  }
  const auto largest = extreme(reader, *batch, *unfit);
  if (!largest) {
    return unkept_unfit(*batch, counted_nearest(reader, *unfit));
  }
  if (batch->units == "B") {
    const store::Column* const capacity = column_with(reader.schema(), role::capacity);
    const double times =
        capacity == nullptr
            ? std::nan("")
            : largest->value /
                  reader.read({capacity->name}, largest->row, largest->row + 1).number(0, 0);
    return {fmt::format("{}, {}", no_layout_fits(times), point_text(reader, largest->row))};
  }
  return {largest->value >= 1.0
              ? fmt::format("no batch of the study fits; the largest that would, {:.0f} requests, "
                            "is that of {}",
                            largest->value, point_text(reader, largest->row))
              : no_weights_fit};
}

}  // namespace scalesweep::analysis
