// What of the catalog a study rests on.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "space/read/workload_form.hpp"
#include "study/resolve/point_axes.hpp"

namespace scalesweep::study {

// An axis whose values are names of entries, as the rows of its keys say.
struct NamedAxis {
  std::string_view axis;
  catalog::Section section;
  std::string_view noun;  // what a value is called; "": whoever knows what else may stand there
                          // says that it is unknown
  std::span<const std::string_view> others = {};  // words that name no entry
};
const std::vector<NamedAxis>& named_axes();

// Of names that are known; in catalog order, each once: the identity of a study must not depend on
// how its spec is written.
std::vector<const catalog::Entry*> used_entries(const StudyAxes& axes,
                                                const space::WorkloadForm& form);

// The same with those that they take values from: all that their texts need to be read again.
std::vector<const catalog::Entry*> with_bases(const catalog::Catalog& catalog,
                                              std::vector<const catalog::Entry*> entries);

// "logic foundry/A10+1 (extrapolated)" of each node beyond the end of a series.
std::vector<std::string> extrapolated_nodes(const StudyAxes& axes);

}  // namespace scalesweep::study
