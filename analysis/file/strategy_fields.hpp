// Which fields of the strategies of a study are chosen, and which follow from the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/file/columns.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Where the file does not say how micro-batches are made, they are taken as chosen.
std::vector<FollowingField> following_fields_of(const store::StudyReader& reader);

// Whether a field follows from the others; from one of these axes too.
bool follows(const std::vector<FollowingField>& following, std::string_view field);
bool follows_from(const std::vector<FollowingField>& following, std::string_view field,
                  const std::vector<std::string>& axes);

// What follows in both of two studies.
std::vector<FollowingField> following_in_both(const store::StudyReader& a,
                                              const store::StudyReader& b);

}  // namespace scalesweep::analysis
