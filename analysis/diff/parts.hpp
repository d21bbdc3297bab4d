// What a comparison is made of, source by source; diff.cpp calls it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/match.hpp"
#include "analysis/diff/result.hpp"
#include "analysis/file/reading.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// keys.cpp.
// What two studies are made of, compared key by key. Private to diff.

// Of the parts of two identities, each of lines "key: value": first the spec, in its own order,
// then the catalog, then what else there is. Keys that come again (filters) have all their values.
std::vector<KeyChange> changed_keys(const std::map<std::string, std::string>& from,
                                    const std::map<std::string, std::string>& to);

// columns.cpp.
// One column of two studies, over the points that both have. Private to diff.

struct ColumnComparison {
  ColumnChange change;    // without `point`
  std::int64_t row = -1;  // of `from`, where it differs most
  // Of names: how many points went from which to which.
  std::map<std::pair<std::string, std::string>, std::int64_t> moves;
};

// Marks pairs that differ. Memory is that of the column in both studies, or of a few blocks where
// both have the same points.
ColumnComparison compare_column(const store::StudyReader& from, const store::StudyReader& to,
                                const std::string& name, const Matching& matching,
                                const ReadingOptions& how, std::vector<std::uint8_t>& differs);

// answers.cpp.
// What becomes of the answers: members of the frontier, best strategies and transitions that one of
// two studies has. Private to diff.

// Analyses both; where that cannot be done a note says why.
void compare_answers(const std::string& from, const std::string& to,
                     const store::StudyReader& before, const store::StudyReader& after,
                     const Matching& matching, const ReadingOptions& how, StudyDiff& diff);

}  // namespace scalesweep::analysis
