// What changed between two studies: what they are made of, which points they have in common and
// how far these differ, and what becomes of the answers.
//
// Points are matched by what they are, the values of axes and the strategy, not by their ids, which
// shift when an axis gets another value. Memory grows with the number of rows: some 60 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/file/reading.hpp"
#include "store/read/reader.hpp"

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
  std::int64_t matched = 0;
  std::int64_t equal = 0;  // of the matched: all columns in common are the same to the last bit
  std::map<std::pair<std::string, std::string>, std::int64_t> statuses;  // from, to: points
  // That differ: the time, objectives and status first, then the most different.
  std::vector<ColumnChange> columns;
  std::vector<AnswerChange> answers;
  std::vector<std::string> notes;

  // Same points with the same values; what the studies are made of may differ.
  bool same_results() const;
};

struct DiffOptions {
  bool answers = true;  // analyse both studies and compare
  ReadingOptions reading = {};
};

// Throws Failure as StudyReader does.
StudyDiff diff_studies(const std::string& from, const std::string& to, const DiffOptions& options);

// For a terminal of `width` columns (0: as wide as it gets).
std::string diff_text(const StudyDiff& diff, const std::string& from, const std::string& to,
                      std::size_t width);
std::string diff_json(const StudyDiff& diff, const std::string& from, const std::string& to);

}  // namespace scalesweep::analysis
