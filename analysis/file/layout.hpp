// What a study holds, in the terms of analysis: which axes vary, along which one to read, what the
// others make of panels, which columns are charges, objectives and strategy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/findings/analyze.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// The time that a study is about, and what points are ranked by: of two points, the one with less
// of `better` is the better. That is another column where a time alone says little, as of a
// service, which may be fast because it answers few requests.
struct TimeColumn {
  std::string name;
  std::string words;
  std::string better;
  std::string better_words;
};

struct StudyLayout {
  store::Schema schema;
  std::vector<store::AxisValues> axes;  // of the rows that take part
  // By axis, the number in `axes` of a value by its number in the file, -1: no row that takes part
  // has it. An axis without any has the numbers of the file.
  std::vector<std::vector<std::int32_t>> renumbered;
  std::size_t along = 0;                // into axes
  std::vector<std::size_t> along_axes;  // into axes: it alone, or several that advance together
  std::vector<std::size_t> panels;      // into axes: the others with more than one value
  std::vector<std::size_t> workloads;   // into axes: those that do not compete
  std::vector<std::string> resources;   // that the time is charged to
  std::vector<std::string> charges;     // columns: of each resource
  std::vector<std::string> strategy;    // strategy columns that are there
  // Into strategy: what makes strategies at different values of along_axes the same one. The other
  // fields follow from those axes.
  std::vector<std::size_t> compared;
  std::vector<Objective> objectives;
  TimeColumn time;                    // what the charges sum to
  std::vector<std::string> statuses;  // labels of the status column; 0 is feasible
  ReadingOptions reading;             // of all that reads rows

  bool is_axis(const std::string& name) const { return axis(name).has_value(); }
  std::optional<std::size_t> axis(const std::string& name) const;
  std::optional<std::size_t> column(const std::string& name) const;  // into schema
  // The index into an axis of an index that the file holds; -1: no row that takes part has it.
  std::int64_t number_of(std::size_t axis, std::int64_t stored) const;
};

// The columns of objectives, in their order.
std::vector<std::string> columns_of(const std::vector<Objective>& objectives);
// "step_time, tokens_per_second (most)".
std::string words_of(const std::vector<Objective>& objectives);

// Whether an axis has numbers that mean something between its values; else its values are names.
bool is_quantity(const store::AxisValues& axis);

// Leaves those values of each axis that rows have where a condition (condition.hpp) holds, all
// where it holds nowhere, and fills StudyLayout::renumbered. Reads the axes of the whole study.
void keep_selected_values(StudyLayout& layout, const store::StudyReader& reader,
                          const std::string& where);

// Throws Failure(bad_input) in the user's terms: what is missing or unknown, and what there is.
StudyLayout read_layout(const store::StudyReader& reader, const AnalyzeOptions& options);

// A mixed radix over some axes, the last one fastest: numbers every combination of their values.
class Grid {
 public:
  Grid(const StudyLayout& layout, std::vector<std::size_t> axes);

  std::size_t size() const { return size_; }
  const std::vector<std::size_t>& axes() const { return axes_; }
  // `coordinates` has one index per axis of this grid.
  std::size_t cell(const std::vector<std::int32_t>& coordinates) const;
  std::vector<std::int32_t> coordinates(std::size_t cell) const;

 private:
  std::vector<std::size_t> axes_;
  std::vector<std::size_t> sizes_;
  std::size_t size_ = 1;
};

}  // namespace scalesweep::analysis
