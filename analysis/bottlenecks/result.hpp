// What an analysis finds: tables, and what they are about.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/objective.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// A result table: axis columns hold indices into AnalysisResult::axes, as in a study, and their
// labels as an enum.
struct ResultTable {
  std::string name;
  std::string description;
  store::Schema schema;
  store::Table table{store::Schema{}};
};

struct Source {
  std::filesystem::path file;  // as given
  std::string title;
  std::string identity;  // of the study: hash of everything that decides its values
  std::string sha256;    // of the file; empty while the study is not finished
  std::int64_t rows = 0;
  std::int64_t points = 0;
  std::map<std::string, std::int64_t> counts;  // ids by status, kept in the file or not
};

// The frontiers of all combinations of axis values: that of any choice of values is among them.
struct CellFrontiers {
  static constexpr std::size_t most_members = 20'000;  // that a page can search while one waits

  std::vector<std::string> per;  // columns of which each combination of values competes alone
  std::size_t rows = 0;          // how many members there are
  bool are_whole = true;         // of all feasible points, kept in the file or not
  ResultTable members;           // ascending in id; empty: there are too many
};

struct AnalysisResult {
  Source source;
  std::vector<store::AxisValues> axes;
  std::string along;
  std::vector<std::string> along_axes;  // it, or those that advance together as the axis `path`
  bool held = false;                    // `best` is one strategy held, not the best everywhere
  std::vector<std::string> panels;      // the other axes with more than one value, outermost first
  std::string time;                     // in words: "step time", what the resources share
  std::string better;                   // column that the best points have least of
  std::string better_words;
  std::vector<Objective> objectives;   // in use
  std::vector<std::string> resources;  // of charge_<resource>, in the order of the study
  std::vector<std::string> groups;     // of resources: compute, memory, network, latency
  std::vector<std::string> strategy;   // columns that make the strategy
  std::vector<std::string> compared;   // those of them that do not follow from along_axes
  // Groups of axes of which no point has other combinations than of values at the same place.
  std::vector<std::vector<std::string>> together;
  Verdicts verdicts;
  ResultTable verdict_table;  // one row per question, answered or not
  ResultTable runners_up;     // the best of the next choices of each question
  ResultTable axis_flips;     // these three without a schema where there is nothing to tell
  ResultTable break_even;
  ResultTable tornado;
  ResultTable draws;          // one row per question without its draw, and choice; likewise
  ResultTable recipes;        // of runs in phases: one row per question and what is chosen
  ResultTable recipe_phases;  // and phase; both without a schema where there are none
  FrontierResult frontiers;
  bool frontier_is_whole = true;  // of all feasible points, kept in the file or not
  bool keeps_feasible = true;     // all of them
  // Members, and points of the ranks behind them if asked for, one a row, in ascending order of id
  // within a workload.
  ResultTable frontier;
  ResultTable frontier_groups;                  // one row per frontier
  std::optional<CellFrontiers> cell_frontiers;  // where they are asked for
  // The best strategy for every combination of `panels` and value of `along`, `along` fastest;
  // combinations in which nothing is feasible have no row.
  ResultTable best;
  ResultTable transitions;              // one row per change of what limits the best strategy
  ResultTable strategy_changes;         // one row per change of the best strategy
  ResultTable coverage;                 // every combination, `along` fastest: points by status
  bool coverage_is_whole = true;        // of all points, kept in the file or not
  ResultTable cloud;                    // feasible points thinned for a picture; never for numbers
  ResultTable operators;                // of the best points, where the study has them
  ResultTable moves;                    // one row per axis of what is built
  ResultTable phases;                   // what limits over two axes; no schema: only one varies
  std::vector<std::string> phase_axes;  // those two
  ResultTable sensitivity;              // one row per best point and resource
  ResultTable improvements;             // one row per resource
  ResultTable panel_improvements;       // per combination of panels; no schema: only one
  ResultTable effects;                  // one row per axis and field of the strategy
  ResultTable interactions;             // one row per pair of axes
  std::vector<std::int64_t> best_rows;  // rows of `best` by row of `coverage`; -1: nothing feasible
  std::vector<std::string> findings;    // sentences
  std::vector<std::string> notes;       // what the reader should know about the file or the choice
};

// The tables of a result, in the order in which they are written.
std::vector<const ResultTable*> tables_of(const AnalysisResult& result);

}  // namespace scalesweep::analysis
