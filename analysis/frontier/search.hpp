// A search for frontiers that is fed with blocks of rows, by several threads: for whoever reads a
// study anyway. find_frontier is the plain way.
//
//   FrontierSearch search(schema, axes, request);
//   std::vector<FrontierSearch::Part> parts(threads, search.part());
//   search.add(parts[thread], table, table_schema, first_row);   // tables with search.columns()
//   FrontierResult result = search.finish(parts);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/error_bars.hpp"
#include "analysis/frontier/result.hpp"
#include "reduce/frontier/frontier_builder.hpp"

namespace scalesweep::analysis {

// Feasible rows of one block that fulfil the condition.
struct SelectedRows {
  std::vector<std::uint8_t> holds;              // by row of the block, feasible or not; empty: all
  std::vector<std::int64_t> rows;               // of the study
  std::vector<std::size_t> places;              // in the block
  std::vector<std::vector<double>> objectives;  // to be minimised: what is maximised is negative
  std::vector<std::int64_t> groups;             // a number for each group, the same in every block
};

class FrontierSearch {
 public:
  using Key = std::vector<std::int64_t>;

  // What one thread has found so far.
  class Part {
   private:
    friend class FrontierSearch;
    struct Group {
      std::int64_t candidates = 0;
      reduce::FrontierBuilder nominal;
      // The two first ranks of points at their better ends: see beyond_doubt in
      // frontier_search.cpp.
      std::optional<reduce::FrontierBuilder> optimistic;
    };
    struct Range {
      double least = 0.0;
      double most = 0.0;
      bool any = false;
    };
    std::map<Key, Group> groups;
    std::vector<Range> ranges;  // of objectives
    std::int64_t feasible = 0;
    std::int64_t selected = 0;
    std::vector<std::int64_t> others;  // by status: not feasible, the condition holds
    std::int64_t without_error_bar = 0;
  };

  // Throws as find_frontier does for what is asked.
  FrontierSearch(const store::Schema& schema, const std::vector<store::AxisValues>& axes,
                 FrontierRequest request);

  const std::vector<std::string>& columns() const { return columns_; }  // that it reads, each once
  Part part() const;
  // Rows from `first_row` of the study on. The rows of all calls are distinct.
  SelectedRows add(Part& part, const store::Table& table, const store::Schema& schema,
                   std::int64_t first_row) const;
  // Throws as find_frontier does for what was found. The parts are used up.
  FrontierResult finish(std::vector<Part>& parts) const;

 private:
  struct Block;

  Follows follows_of(const store::Column& figure);
  void check_groups() const;
  void collect_columns();
  std::vector<std::uint8_t> asked_for(const store::Table& table, const store::Schema& schema) const;
  SelectedRows select(Part& part, const store::Table& table, const store::Schema& schema,
                      std::int64_t first_row) const;
  std::vector<std::vector<std::int64_t>> keys_of(const SelectedRows& selected,
                                                 const store::Table& table,
                                                 const store::Schema& schema) const;
  std::vector<std::vector<double>> bars_of(const SelectedRows& selected, const store::Table& table,
                                           const store::Schema& schema) const;
  std::vector<double> measured_of(const SelectedRows& selected, const store::Table& table,
                                  const store::Schema& schema) const;
  std::vector<std::vector<double>> optimistic_ends(Part& part, const SelectedRows& selected,
                                                   std::vector<std::vector<double>> bars) const;
  // Columns; none where the request wants none.
  std::span<const std::string> searched_bars() const {
    return error_bars_ ? std::span<const std::string>(bars_) : std::span<const std::string>();
  }
  // Columns that go along with the objectives of members: bars, and whether all was measured.
  std::size_t carried() const { return error_bars_ ? bars_.size() + 1 : 0; }
  Part::Group& group_of(Part& part, const Key& key) const;
  Part::Group new_group() const;
  void add_group(Part& part, const Key& key, const Block& block) const;
  void merge(Part& into, Part& part) const;
  void check_found(const Part& found) const;
  std::string missing_objective(const Part& found, std::size_t objective) const;
  std::vector<std::string> notes_of(const Part& found) const;

  StudyLayout layout_;  // schema and axes only
  FrontierRequest request_;
  std::optional<Condition> where_;
  std::vector<Follows> follows_;   // by objective
  std::vector<std::string> bars_;  // columns: the study's first; empty where it has none
  bool error_bars_ = false;
  std::string least_known_;  // column; empty: the study has none
  std::vector<std::string> columns_;
};

}  // namespace scalesweep::analysis
