// What a study holds, in the terms of analysis: which axes vary, along which one to read, what the
// others make of panels, which columns are charges, objectives and strategy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/file/reading.hpp"
#include "store/read/study_file.hpp"
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
  // Into axes: the others with more than one value, but those of whose values the best is taken.
  std::vector<std::size_t> panels;
  std::vector<std::size_t> workloads;  // into axes: those that do not compete
  std::vector<std::string> resources;  // that the time is charged to
  std::vector<std::string> charges;    // columns: of each resource
  std::vector<std::string> strategy;   // strategy columns that are there
  // Into strategy: what makes strategies at different values of along_axes the same one. The other
  // fields follow from those axes.
  std::vector<std::size_t> compared;
  // Groups of axes of which no point has other combinations than of values at the same place.
  std::vector<std::vector<std::string>> together;
  // Values of `along` were left out between others that are limited alike (transitions_axis()).
  bool leaves_values_out = false;
  std::vector<Objective> objectives;
  TimeColumn time;                    // what the charges sum to
  std::vector<std::string> statuses;  // labels of the status column; 0 is feasible
  ReadingOptions reading;             // of all that reads rows

  bool is_axis(const std::string& name) const { return axis(name).has_value(); }
  std::optional<std::size_t> axis(const std::string& name) const;
  std::optional<std::size_t> column(const std::string& name) const;  // into schema
  // The axes that vary together with this one, it among them; it alone where none does.
  std::vector<std::string> group_of(const std::string& axis) const;
  // The index into an axis of an index that the file holds; -1: no row that takes part has it.
  std::int64_t number_of(std::size_t axis, std::int64_t stored) const;
};

// Whether an axis has numbers that mean something between its values; else its values are names.
bool is_quantity(const store::AxisValues& axis);
// Whether the values of what a study is read along follow each other: numbers, and names of
// technologies that have generations. Of devices, models or assumptions there is no way from one to
// the next, and so nothing that happens on it.
bool has_order(const StudyLayout& layout);
// Its values in ascending order, as indices; without one that is no number.
std::vector<std::int32_t> in_ascending_order(const store::AxisValues& axis);
// Whether a value stands for points of a study that does not have the axis (a union of studies).
bool is_absent(const store::AxisValues& axis, std::size_t index);

inline constexpr std::size_t most_objectives = 8;  // what the frontier takes

// Throws Failure(bad_input) for none or too many, and for one that is not there (with a
// suggestion), has no order or is named twice.
void check_objectives(const StudyLayout& layout, const std::vector<Objective>& objectives);

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
