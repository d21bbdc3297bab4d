// Rows of a study that a condition selects, read slice by slice, and rows picked out by number.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/selection/selection.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// As find_column; throws Failure(bad_input), which begins with `what` ("--sort"), for a name that
// is no column, with a suggestion.
const store::Column& named_column(const store::Schema& schema, const std::string& name,
                                  const std::string& what);

// What the values of the named columns stand for; the names are those of columns.
std::vector<ColumnMeaning> meanings_of(const store::StudyReader& reader,
                                       const std::vector<std::string>& names);

std::vector<ColumnMeaning> meanings_of(const store::Schema& schema,
                                       const std::vector<store::AxisValues>& axes);

// The given rows of the study, in the given order; reads each part of the file once at most.
store::Table read_rows(const store::StudyReader& reader, const std::vector<std::string>& columns,
                       const std::vector<std::int64_t>& rows, const ReadingOptions& how = {});

struct RowFilter {
  std::string where;              // a condition; empty: all
  bool all_statuses = false;      // else only what is feasible
  std::vector<std::int64_t> ids;  // only these points, whatever their status; empty: all
  ReadingOptions reading = {};
};

struct RowCounts {
  std::int64_t rows = 0;                               // of the file
  std::map<std::string, std::int64_t> other_statuses;  // rows passed over, not being feasible
  std::int64_t selected = 0;
};

// Selected rows of one slice.
struct RowSlice {
  std::vector<std::int64_t> rows;       // their numbers in the file, ascending
  store::Table table{store::Schema{}};  // of the columns asked for
};

class RowSelection {
 public:
  // Throws Failure(bad_input) for a condition that is wrong and for an id that the study does not
  // have. The reader must outlive it.
  RowSelection(const store::StudyReader& reader, const RowFilter& filter);

  // Not where a filter asks for all statuses, names points, or has a condition on the status.
  bool only_feasible() const { return status_.has_value(); }

  // Calls `visit` for every slice in which rows are selected, by the caller's thread and in order,
  // while other threads read on: of the store it may call TableFile::add_rows only. Once it was
  // given `most` rows or more, others are counted only. Memory is that of a few slices for each
  // thread.
  RowCounts scan(const std::vector<std::string>& columns,
                 const std::function<void(const RowSlice&)>& visit,
                 std::size_t most = std::numeric_limits<std::size_t>::max()) const;

 private:
  struct Reading;
  struct Slice;

  std::vector<std::uint8_t> holds(const store::Table& table, RowCounts& counts) const;
  Slice read(const Reading& reading, std::size_t block) const;

  const store::StudyReader& reader_;
  ReadingOptions how_;
  Selection selection_;
  std::optional<store::Column> status_;  // whose first label is feasible; nothing: all are
  std::vector<std::int64_t> ids_;        // ascending
  std::vector<std::string> columns_;     // that choosing reads
  store::Schema schema_;                 // of them
};

}  // namespace scalesweep::analysis
