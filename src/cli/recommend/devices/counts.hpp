// How many devices are tried for a question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"

namespace scalesweep::cli {

// Of each device of the question. What a budget allows is told in `notes`. Of a name that the
// catalog does not have, what was asked: checking the spec says so. Throws Failure(usage).
std::vector<DeviceCounts> counts_of(const Question& question, const catalog::Catalog& catalog,
                                    std::vector<std::string>& notes);

}  // namespace scalesweep::cli
