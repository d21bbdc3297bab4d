// What an analysis is made of, source by source; analyze.cpp calls it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/verdict/attribution.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// findings.cpp.
// The results in a few sentences: what is best, what limits it and where that moves, what to
// improve next, what matters at all.

// From the tables of a result that is otherwise complete. Combinations that behave alike share a
// sentence; the rarest are counted only.
std::vector<std::string> findings_of(const Reading& reading, const Resources& resources,
                                     const AnalysisResult& result);

// Why a combination, a row of the coverage table, has no best point: "no strategy fits",
// "limits missed", "not feasible with the strategy held", "no time known", "feasible, not in the
// file", "left out by a filter",
// the words of the only other reason, "nothing feasible" for several, "not found" where one of them
// is that [search] left points out, "nothing in the file".
std::string why_empty(const AnalysisResult& result, std::size_t combination);

// frontier_tables.cpp.
// Result tables of frontiers.

// Adds the columns of member_table to the rows of all members, and which of them pictures show.
void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers,
                          const std::vector<ShownFrontier>& shown);

// For pages with filters: what the frontier of any chosen values of the axes can be made of, by one
// more pass over the study. `request` is that of its frontier. `members` is empty where there are
// more of them than `most`.
CellFrontiers cell_frontiers(const store::StudyReader& reader, const StudyLayout& layout,
                             const Resources& resources, FrontierRequest request,
                             std::size_t most = CellFrontiers::most_members);

// share_bounds.cpp.
// A search for shares of budgets that ends at the ranges it was given.

// Sentences: which share of how many best devices is the lowest or highest that [allocate] of the
// spec in the file allows. Empty without a search, and for a file without its spec.
std::vector<std::string> shares_at_bounds(const store::StudyReader& reader,
                                          const AnalysisResult& result);

// source_file.cpp.
// The study file as bytes.

// SHA-256 of a file of any size: it is read piece by piece. Throws Failure(no_input).
std::string file_sha256(const std::filesystem::path& file, const ReadingOptions& how = {});

}  // namespace scalesweep::analysis
