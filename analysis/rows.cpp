#include "analysis/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// Rows read at once: a few MB a column, so that memory does not grow with the study.
constexpr std::int64_t rows_at_once = 1 << 17;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

std::size_t position_in(const store::Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& one) { return one.name == name; });
  return static_cast<std::size_t>(found - schema.begin());
}

}  // namespace

const store::Column& named_column(const store::Schema& schema, const std::string& name,
                                  const std::string& what) {
  if (const store::Column* column = find_column(schema, name)) {
    return *column;
  }
  std::vector<std::string> names;
  for (const store::Column& column : schema) {
    names.push_back(column.name);
  }
  throw Failure(ExitCode::bad_input,
                fmt::format("{}: there is no column '{}'{}", what, name, suggestion(name, names)));
}

std::vector<ColumnMeaning> meanings_of(const store::StudyReader& reader,
                                       const std::vector<std::string>& names) {
  return meanings_of(schema_of(reader.schema(), names), reader.axes());
}

std::vector<ColumnMeaning> meanings_of(const store::Schema& schema,
                                       const std::vector<store::AxisValues>& axes) {
  std::vector<ColumnMeaning> result;
  for (const store::Column& column : schema) {
    result.push_back(meaning_of(column, axes));
  }
  return result;
}

store::Schema schema_of(const store::Schema& schema, const std::vector<std::string>& names) {
  store::Schema result;
  for (const std::string& name : names) {
    result.push_back(schema[position_in(schema, name)]);
  }
  return result;
}

store::Table read_rows(const store::StudyReader& reader, const std::vector<std::string>& columns,
                       const std::vector<std::int64_t>& rows) {
  constexpr std::int64_t block_rows = 16384;  // a chunk of a study, decompressed in one piece
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  store::Table sorted(schema_of(reader.schema(), columns));
  std::vector<std::size_t> place(rows.size());
  for (std::size_t i = 0; i < order.size();) {
    const std::int64_t first = rows[order[i]] / block_rows * block_rows;
    const std::int64_t last = std::min(first + block_rows, reader.rows());
    store::Table block = reader.read(columns, first, last);
    std::vector<std::size_t> wanted;
    for (; i < order.size() && rows[order[i]] < last; ++i) {
      wanted.push_back(static_cast<std::size_t>(rows[order[i]] - first));
      place[order[i]] = i;
    }
    block.select(wanted);
    sorted.append(block);
  }
  sorted.select(place);
  return sorted;
}

RowSelection::RowSelection(const store::StudyReader& reader, const RowFilter& filter)
    : reader_(reader), ids_(filter.ids) {
  std::sort(ids_.begin(), ids_.end());
  for (const std::int64_t id : ids_) {
    if (id < 0 || id >= reader.points()) {
      throw Failure(ExitCode::bad_input,
                    fmt::format("there is no point {}: this study has the points 0 to {}", id,
                                reader.points() - 1));
    }
  }
  if (!ids_.empty()) {
    columns_.emplace_back(point_id_column);
  }
  if (!filter.where.empty()) {
    condition_.emplace(filter.where, reader.schema(), reader.axes());
    for (const std::string& name : condition_->columns()) {
      add_once(columns_, name);
    }
  }
  const store::Column* status = find_column(reader.schema(), status_column);
  const bool asks_for_status =
      std::find(columns_.begin(), columns_.end(), status_column) != columns_.end();
  if (!filter.all_statuses && !asks_for_status && ids_.empty() && status != nullptr) {
    status_ = *status;
    add_once(columns_, status->name);
  }
  if (columns_.empty()) {
    columns_.push_back(reader.schema().front().name);
  }
  schema_ = schema_of(reader.schema(), columns_);
}

std::vector<std::uint8_t> RowSelection::holds(const store::Table& table, RowCounts& counts) const {
  std::vector<std::uint8_t> result(table.rows(), 1);
  if (condition_) {
    condition_->select(table, schema_, result);
  }
  if (!ids_.empty()) {
    const auto& ids = table.values<std::int64_t>(position_in(schema_, point_id_column));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool wanted = std::binary_search(ids_.begin(), ids_.end(), ids[i]);
      result[i] = wanted ? result[i] : 0;
    }
  }
  if (status_) {
    const std::size_t column = position_in(schema_, status_->name);
    std::vector<std::int64_t> passed_over(status_->labels.size() + 1, 0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto status = static_cast<std::size_t>(table.number(column, i));
      if (result[i] != 0 && status != 0) {
        ++passed_over[std::min(status, passed_over.size() - 1)];
        result[i] = 0;
      }
    }
    for (std::size_t s = 0; s < passed_over.size(); ++s) {
      if (passed_over[s] > 0) {
        counts.other_statuses[s < status_->labels.size() ? status_->labels[s] : "unknown"] +=
            passed_over[s];
      }
    }
  }
  return result;
}

RowCounts RowSelection::scan(const std::vector<std::string>& columns,
                             const std::function<void(const RowSlice&)>& visit) const {
  RowCounts counts;
  counts.rows = reader_.rows();
  for (std::int64_t first = 0; first < counts.rows; first += rows_at_once) {
    const std::int64_t last = std::min(first + rows_at_once, counts.rows);
    const std::vector<std::uint8_t> chosen = holds(reader_.read(columns_, first, last), counts);
    std::vector<std::size_t> places;
    RowSlice slice;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] != 0) {
        places.push_back(i);
        slice.rows.push_back(first + static_cast<std::int64_t>(i));
      }
    }
    if (places.empty()) {
      continue;
    }
    counts.selected += static_cast<std::int64_t>(places.size());
    slice.table = reader_.read(columns, first, last);
    if (places.size() < chosen.size()) {
      slice.table.select(places);
    }
    visit(slice);
  }
  return counts;
}

}  // namespace scalesweep::analysis
