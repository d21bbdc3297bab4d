// What two studies are made of, compared key by key. Private to diff.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/diff/result.hpp"

namespace scalesweep::analysis {

// Of the parts of two identities, each of lines "key: value": first the spec, in its own order,
// then the catalog, then what else there is. Keys that come again (filters) have all their values.
std::vector<KeyChange> changed_keys(const std::map<std::string, std::string>& from,
                                    const std::map<std::string, std::string>& to);

}  // namespace scalesweep::analysis
