#include "validation/kinds/named_stack.hpp"

#include <fmt/format.h>

#include <string>

#include "workload/framework.hpp"

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

std::string read_serving_stack(RowReader& row, workload::ServingStack& stack) {
  const std::string name =
      row.has("framework") ? row.entry("framework", catalog::Section::frameworks) : "";
  if (name.empty()) {
    return name;
  }
  const workload::Framework& framework = row.catalog().framework(name);
  if (!framework.serves) {
    row.error("framework",
              fmt::format("nobody says how '{}' serves; leave it empty for kernels alone", name));
  }
  stack = framework.serving;
  return name;
}

}  // namespace scalesweep::validation
