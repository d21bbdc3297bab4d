#include "validation/kinds/named_stack.hpp"

#include <fmt/format.h>

#include <string>

namespace scalesweep::validation {

workload::Framework read_stack(RowReader& row, const CaseDefaults& defaults,
                               const NeededStack& needed) {
  std::string name = defaults.framework.empty() ? std::string(needed.usual) : defaults.framework;
  if (row.has("framework")) {
    name = row.entry("framework", catalog::Section::frameworks);
  }
  if (name.empty()) {
    return {};
  }
  workload::Framework framework = defaults.catalog.framework(name);
  if (!(framework.*needed.does)) {
    row.error("framework", fmt::format("nobody says how '{}' {}; name an entry with a table '{}'",
                                       name, needed.what, needed.table));
  }
  return framework;
}

}  // namespace scalesweep::validation
