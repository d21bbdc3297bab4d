// What a comparison of two studies finds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace scalesweep::analysis {

// One line that says something else: "N7 transistor_density", "91.2 1/um2", "95 1/um2"; empty where
// one of them does not have it.
struct KeyChange {
  std::string part;  // of the identity: spec, catalog, estimator, ...
  std::string key;
  std::string from, to;
  std::string entry = {};  // "logic N7" where only one study has that entry of the catalog
};

struct AxisChange {
  std::string name;
  std::vector<std::string> lost, gained;  // labels; all of them where only one study has the axis
};

// How a column differs over the points that both studies have.
struct ColumnChange {
  std::string name;
  std::string units;
  std::int64_t differing = 0;
  // Of (to - from) / from over those; NaN where none has two finite values, as of names.
  double median_relative = 0.0;
  double largest_relative = 0.0;  // by its size, with its sign
  std::string from, to;           // values there, as text
  std::string point;              // where it is: the values of axes that vary, then the strategy
};

// Members of the frontier or best points that only one of the studies has.
struct AnswerChange {
  std::string table;  // frontier, best, transitions
  std::string what;   // lost, gained, changed
  std::string text;
};

struct StudyDiff {
  std::vector<KeyChange> keys;  // spec, catalog, others
  std::vector<AxisChange> axes;
  std::vector<std::string> columns_lost, columns_gained;
  std::int64_t rows_from = 0, rows_to = 0;
  std::int64_t matched = 0;  // pairs; a point may be in several where one study lacks an axis
  std::int64_t only_from = 0, only_to = 0;  // rows in none
  std::int64_t equal = 0;  // of the matched: all columns in common are the same to the last bit
  std::map<std::pair<std::string, std::string>, std::int64_t> statuses;  // from, to: points
  // That differ: the time, objectives and status first, then the most different.
  std::vector<ColumnChange> columns;
  std::vector<AnswerChange> answers;
  std::vector<std::string> notes;

  // Same points with the same values; what the studies are made of may differ.
  bool same_results() const;
};

}  // namespace scalesweep::analysis
