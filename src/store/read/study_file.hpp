// What a study on disk is made of: segments while it runs, one HDF5 file at the end. FORMAT.md is
// the contract.
//
// NAME.h5.d/ holds study.json (identity) and immutable segments, each written whole by the rank
// that computed it: closed, fsynced, renamed, directory fsynced. That survives SIGKILL of anything
// at any moment. finish() checks that every id is covered exactly once, merges into
// NAME.h5.partial, fsyncs and renames; where it was stopped or killed, the next one goes on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_range.hpp"
#include "store/read/table.hpp"

namespace scalesweep::store {

// Of study files, segments and study.json; changed together with FORMAT.md.
constexpr std::int64_t format_version = 3;
// What older versions wrote, down to this one, is read as well; no run goes on with it.
constexpr std::int64_t oldest_readable_version = 1;

// Of a union of studies: the axis that names them, and the column of the id in the own study.
inline constexpr std::string_view study_axis = "study";
inline constexpr std::string_view own_id_column = "study_point_id";
// The value that points have of an axis that their study does not have; of an axis of numbers it is
// NaN.
inline constexpr std::string_view no_axis_value = "-";

// Coordinate values of one axis, written to /axes/<name>.
struct AxisValues {
  std::string name;
  std::string units;  // "" where the values are names
  std::string description;
  std::vector<std::string> labels;
  std::vector<double> values;
};

// More than one: it varies.
inline std::size_t value_count(const AxisValues& axis) {
  return std::max(axis.labels.size(), axis.values.size());
}

// Nothing if there is none of that name. It lives as long as `axes`.
const AxisValues* find_axis(const std::vector<AxisValues>& axes, std::string_view name);

// Files hold the numbers of axes that have units: says so of their columns, which hold places, in a
// schema that is to be written. Not where two values are the same number.
void give_axis_numbers(Schema& schema, const std::vector<AxisValues>& axes);

// How many values of one quantity fell where, over all ids that have one, rows kept or not. Value v
// is in bin i where edges[i - 1] <= v < edges[i]; the first and the last bin are open.
struct Histogram {
  std::string name;  // a column, or an axis with values
  std::string units;
  std::string long_name;
  std::string description;
  std::vector<double> edges;  // ascending
};

struct StoredHistogram {
  Histogram histogram;
  std::vector<std::int64_t> counts;  // of its bins, one more than edges
};

// Points that are counted apart, kept as rows or not: each combination of the values of some axes
// is a group, and without axes all points are one.
struct OutcomeTable {
  std::string name;  // no two have the same
  std::vector<std::string> axes;
};

struct OutcomeTables {
  std::vector<OutcomeTable> tables;
  // By status, the column whose best value says how near its points came to being feasible, and
  // which says what is better; "": none.
  std::vector<std::string> nearest = {};
  std::string left_out = {};  // which others have too many groups, and how many; "": none
};

// Text attributes and texts, by name: title, source, history, ... on the root; /provenance/<name>.
struct StudyDescription {
  std::string identity;                               // hash of everything that decides the values
  std::map<std::string, std::string> identity_parts;  // what went into it, to show what differs
  std::int64_t version = format_version;  // of its rows: those of a study begun in 2 stay of 2
  std::int64_t points = 0;                // ids are 0 ... points - 1
  std::int64_t chunk_rows = 16384;
  Schema schema;  // column 0 is point_id (i64)
  std::vector<AxisValues> axes;
  std::vector<std::string> count_names;  // of Counts, in order
  std::vector<Histogram> histograms;     // behind them in Counts, edges + 1 bins each
  OutcomeTables outcomes;
  std::map<std::string, std::string> root_attributes;
  std::map<std::string, std::string> provenance;
};

// How many ids ended in which status, in the order of StudyDescription::count_names, then the bins
// of its histograms one after the other. Counts of parts add up to those of the whole.
using Counts = std::vector<std::int64_t>;
inline Counts zero_counts(const StudyDescription& study) {
  std::size_t size = study.count_names.size();
  for (const Histogram& histogram : study.histograms) {
    size += histogram.edges.size() + 1;
  }
  return Counts(size, 0);
}

// The points of a group that ended in one status, numbered as OutcomeNumbers says.
struct OutcomeCell {
  std::int64_t cell = 0;
  std::int64_t points = 0;
  // The best value of the column that OutcomeTables::nearest names, the negative of one whose
  // larger values are better; NaN where there is none.
  double nearest = 0.0;
};
// Of the cells that have points, ascending. Those of parts are added by add_outcomes.
using Outcomes = std::vector<OutcomeCell>;

struct Segment {
  IdRange ids;  // evaluated; rows may be fewer where a policy keeps some only
  std::filesystem::path path;
  std::int64_t rows = 0;
  Counts counts;
  std::optional<Outcomes> outcomes = {};  // nothing: a version that did not count them wrote it
};

// What NAME.h5 is at the end: all rows, or virtual datasets over the segments, which stay in
// NAME.h5.d (half the disk, no copying; for studies whose rows are final when they are written).
enum class Layout { merged, by_segment };

// Told often while much is read or written: which pass it is ("checking segments") and how much of
// it is done, 0 to 1. Called by the thread that calls.
using PassProgress = std::function<void(std::string_view pass, double done)>;

// Whether what is written is on disk (fsync of file and folder) or only with the operating system
// when a call returns: after a power cut the latter may be gone. The death of a process takes
// neither.
enum class Durability { synced, scratch };

// Chooses which rows of a whole study stay, for policies that reduce (best, frontier). Gets all
// rows that the segments kept; the chosen ones are stored in order of id.
using RowSelector = std::function<std::vector<std::size_t>(const Table&)>;

struct FinishOptions {
  Layout layout = Layout::merged;
  Durability durability = Durability::synced;
  std::function<bool()> stop_requested = {};          // asked several times a second
  std::int64_t buffer_bytes = std::int64_t{1} << 26;  // of values in memory, about
  double checkpoint_seconds = 1.0;  // a killed merge repeats about this much of its work
  PassProgress progress = {};
};

struct FinishReport {
  bool complete = true;            // false: stopped; the same call goes on where it was
  std::int64_t copied_bytes = 0;   // encoded chunks that were taken over as they are
  std::int64_t earlier_bytes = 0;  // of those: by an earlier call that was stopped or killed
  std::int64_t encoded_rows = 0;   // encoded anew, where a policy left chunks ragged
};

}  // namespace scalesweep::store
