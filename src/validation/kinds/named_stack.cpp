#include "validation/kinds/named_stack.hpp"

#include <fmt/format.h>

#include <string>

namespace scalesweep::validation {

workload::Framework read_stack(RowReader& row, const CaseDefaults& defaults,
                               const NeededStack& needed) {
  const bool is_asked = needed.column == "framework" && !defaults.framework.empty();
  std::string name = is_asked ? defaults.framework : std::string(needed.usual);
  if (row.has(needed.column)) {
    name = row.entry(needed.column, catalog::Section::frameworks);
  }
  if (name.empty()) {
    return {};
  }
  workload::Framework framework = defaults.catalog.framework(name);
  if (!(framework.*needed.does)) {
    row.error(needed.column,
              needed.table.empty()
                  ? fmt::format("nobody says how '{}' {}; name another entry", name, needed.what)
                  : fmt::format("nobody says how '{}' {}; name an entry with a table '{}'", name,
                                needed.what, needed.table));
  }
  return framework;
}

}  // namespace scalesweep::validation
