#include "analysis/selection/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "analysis/file/columns.hpp"
#include "core/failure.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
const store::Column& named_column(const store::Schema& schema, const std::string& name,
                                  const std::string& what) {
  if (const store::Column* column = find_column(schema, name)) {
    return *column;
  }
  refuse(
      fmt::format("{}: there is no column '{}'{}", what, name, suggestion(name, names_of(schema))));
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

store::Table read_rows(const store::StudyReader& reader, const std::vector<std::string>& columns,
                       const std::vector<std::int64_t>& rows, const ReadingOptions& how) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  std::vector<std::size_t> place(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
  }
  const store::ColumnBlocks blocks = reader.blocks(columns);
  // The wanted rows of each block that has some.
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> wanted;
  for (std::size_t block = 0, i = 0; block < blocks.size(); ++block) {
    const store::RowRange range = blocks.rows(block);
    std::vector<std::size_t> places;
    for (; i < order.size() && rows[order[i]] < range.last; ++i) {
      places.push_back(static_cast<std::size_t>(rows[order[i]] - range.first));
    }
    if (!places.empty()) {
      wanted.emplace_back(block, std::move(places));
    }
  }
  store::Table sorted(blocks.schema());
  Pass pass(how, "reading rows", wanted.size());
  for_each_in_order(
      thread_count(how.threads), wanted.size(),
      [&](std::size_t i) {
        store::Table part = blocks.read(wanted[i].first);
        part.select(wanted[i].second);
        return part;
      },
      [&](const store::Table& part) {
        sorted.append(part);
        pass.step();
      });
  sorted.select(place);
  return sorted;
}

RowSelection::RowSelection(const store::StudyReader& reader, const RowFilter& filter)
    : reader_(reader), how_(filter.reading), selection_(reader, filter.where), ids_(filter.ids) {
  std::sort(ids_.begin(), ids_.end());
  for (const std::int64_t id : ids_) {
    if (id < 0 || id >= reader.points()) {
      refuse(fmt::format("there is no point {}: this study has the points 0 to {}", id,
                         reader.points() - 1));
    }
  }
  if (!ids_.empty()) {
    columns_.emplace_back(point_id_column);
  }
  for (const std::string& name : selection_.columns()) {
    add_once(columns_, name);
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
  std::vector<std::uint8_t> result = selection_.of(table, schema_);
  result.resize(table.rows(), 1);  // all take part where nothing is said
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

// What a scan reads: first the columns that choosing needs, then, where rows are chosen, those that
// are asked for and not yet there.
struct RowSelection::Reading {
  store::ColumnBlocks blocks;
  store::Schema schema;                // asked for
  std::vector<std::size_t> choosing;   // places in `blocks`
  std::vector<std::size_t> remaining;  // likewise
  std::vector<std::size_t> asked;      // for each column asked for: its place in `blocks`
  std::atomic<bool> enough = false;    // visited: others need only be counted
};

struct RowSelection::Slice {
  RowCounts counts;
  RowSlice rows;
};

RowSelection::Slice RowSelection::read(const Reading& reading, std::size_t block) const {
  Slice slice;
  const store::Table choosing = reading.blocks.read(block, reading.choosing);
  const std::vector<std::uint8_t> chosen = holds(choosing, slice.counts);
  const std::int64_t first = reading.blocks.rows(block).first;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] != 0) {
      places.push_back(i);
      slice.rows.rows.push_back(first + static_cast<std::int64_t>(i));
    }
  }
  slice.counts.selected = static_cast<std::int64_t>(places.size());
  if (places.empty() || reading.enough) {
    return slice;
  }
  const store::Table remaining = reading.blocks.read(block, reading.remaining);
  slice.rows.table = store::Table(reading.schema);
  for (std::size_t i = 0; i < reading.asked.size(); ++i) {
    const std::size_t place = reading.asked[i];
    const bool was_choosing = place < reading.choosing.size();
    copy_column(was_choosing ? choosing : remaining,
                was_choosing ? place : place - reading.choosing.size(), slice.rows.table, i,
                reading.schema[i].type);
  }
  if (places.size() < chosen.size()) {
    slice.rows.table.select(places);
  }
  return slice;
}

RowCounts RowSelection::scan(const std::vector<std::string>& columns,
                             const std::function<void(const RowSlice&)>& visit,
                             std::size_t most) const {
  std::vector<std::string> names = columns_;
  for (const std::string& name : columns) {
    add_once(names, name);
  }
  Reading reading{reader_.blocks(names), schema_of(reader_.schema(), columns), {}, {}, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    (i < columns_.size() ? reading.choosing : reading.remaining).push_back(i);
  }
  for (const std::string& name : columns) {
    reading.asked.push_back(position_in(reading.blocks.schema(), name));
  }
  RowCounts counts;
  counts.rows = reader_.rows();
  std::size_t visited = 0;
  Pass pass(how_, "choosing rows", reading.blocks.size());
  for_each_in_order(
      thread_count(how_.threads), reading.blocks.size(),
      [&](std::size_t block) { return read(reading, block); },
      [&](const Slice& slice) {
        counts.selected += slice.counts.selected;
        for (const auto& [status, passed_over] : slice.counts.other_statuses) {
          counts.other_statuses[status] += passed_over;
        }
        if (slice.counts.selected > 0 && visited < most) {
          visit(slice.rows);
          visited += slice.rows.rows.size();
          reading.enough = visited >= most;
        }
        pass.step();
      });
  return counts;
}

}  // namespace scalesweep::analysis
