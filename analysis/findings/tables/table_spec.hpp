// What a result table is declared as, and what it is made of. A further table is a file in this
// folder that says its columns (bottlenecks/table_of), its line in CMakeLists.txt and its two in
// declared.cpp: files, text and report then have it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/scan.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/bottlenecks/ties.hpp"
#include "analysis/effects/effects.hpp"
#include "analysis/effects/moves.hpp"
#include "analysis/effects/strategies.hpp"
#include "analysis/effects/strategy_changes.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/verdict/attribution.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// How the study is read.
struct Reading {
  StudyLayout layout;              // all varying axes; those of a path among the panels
  StudyLayout shown;               // read along one axis
  std::vector<std::size_t> cells;  // of the grid of `layout`, by cell of `shown`
  std::vector<std::int64_t> rows;  // of the study, by cell of `shown`
  std::vector<Path> paths;         // rows of `best`
  std::vector<Ties> ties;          // with the best points, by rows of `best`
  bool ties_are_known = true;      // the file keeps them; of what is held there are none
};

// The best points of all combinations, whatever the study is read along.
struct Combinations {
  ResultTable best;
  std::vector<std::int64_t> places;     // rows of it by cell of the scan; -1: nothing feasible
  std::vector<Ties> ties;               // by cell of the scan
  std::vector<std::size_t> phase_axes;  // of the phase diagram; none where fewer than two vary
};

// The strategies whose fate is asked for: those that are held, or those that changes left behind.
struct Asked {
  std::vector<WantedStrategy> wanted;
  std::vector<StrategyStep> steps;
};

// All that is known before the tables are made. Each is made of this alone, so that their order is
// that in which they are written, and nothing else.
struct TableInputs {
  const store::StudyReader& reader;
  const Reading& reading;
  const Resources& resources;
  const Scan& scan;
  const ResultTable& best;      // as it is shown, with the axis `path` if there is one
  const ResultTable& frontier;  // and the ranks behind it, if asked for
  const std::vector<ShownFrontier>& pictured;  // of its members
  const Combinations& combinations;
  const Asked& asked;
  const StrategyScan& strategies;
  const Moves& moves;
  const Effects& effects;
  const Verdicts& verdicts;
  bool coverage_is_whole;
};

struct TableSpec {
  std::string_view name;
  SeenIn seen_in;
  ResultTable (*make)(const TableInputs&);  // without a schema where the study has nothing of it
  std::string_view title = {};              // of its section; empty: its name in words
};

}  // namespace scalesweep::analysis
