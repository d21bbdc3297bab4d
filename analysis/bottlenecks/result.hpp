// What an analysis finds: tables, and what they are about.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/file/objective.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/verdict/verdict.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// Where people see a table, beside the files, which hold all of them.
enum class SeenIn {
  everywhere,  // a plain section of the text and of the report: title, text, columns with units
  report,      // of the report alone: the text has words of its own for it, or leaves it out
  own_views,   // text and report have views of their own
  pictures,    // made for them alone, never for numbers
};

// A result table: axis columns hold indices into AnalysisResult::axes, as in a study, and their
// labels as an enum.
struct ResultTable {
  std::string name;  // this, the title and where it is seen are as declared (findings/tables)
  std::string description;
  store::Schema schema;
  store::Table table{store::Schema{}};
  std::string title = {};  // of its section; empty: its name in words
  SeenIn seen_in = SeenIn::own_views;
};

// Names of the tables that something is made of beside files and sections.
namespace tables {
inline constexpr std::string_view best = "best";
inline constexpr std::string_view coverage = "coverage";
inline constexpr std::string_view effects = "effects";
inline constexpr std::string_view frontier = "frontier";
inline constexpr std::string_view frontier_groups = "frontier_groups";
inline constexpr std::string_view improvements = "improvements";
inline constexpr std::string_view strategy_changes = "strategy_changes";
inline constexpr std::string_view tied_shares = "tied_shares";
inline constexpr std::string_view transitions = "transitions";
}  // namespace tables

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
  FrontierResult frontiers;
  bool frontier_is_whole = true;                // of all feasible points, kept in the file or not
  bool keeps_feasible = true;                   // all of them
  std::optional<CellFrontiers> cell_frontiers;  // where they are asked for
  bool coverage_is_whole = true;                // of all points, kept in the file or not
  std::vector<std::string> phase_axes;          // of the table `phases`
  std::vector<std::int64_t> best_rows;  // rows of `best` by row of `coverage`; -1: nothing feasible
  std::vector<std::string> findings;    // sentences
  std::vector<std::string> notes;       // what the reader should know about the file or the choice
  // All that are declared, in that order; without a schema where the study has nothing of the kind.
  std::vector<ResultTable> tables;

  // The table that is declared by this name.
  const ResultTable& operator[](std::string_view name) const;
};

// Those with a schema, in the order in which they are written.
std::vector<const ResultTable*> tables_of(const AnalysisResult& result);

}  // namespace scalesweep::analysis
