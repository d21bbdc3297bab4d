#include "study/resolve/check_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/used_entries.hpp"

namespace scalesweep::study {

void check_names(const space::Spec& spec, const WorkloadKind& kind, const catalog::Catalog& catalog,
                 Diagnostics& diagnostics) {
  for (const NamedAxis& named : named_axes) {
    for_each_label(spec, std::string(named.axis), [&](const std::string& name, const auto& at) {
      if (!catalog.has(named.section, name)) {
        diagnostics.error(at, fmt::format("the catalog has no {} '{}'{}", named.noun, name,
                                          catalog.suggestion(named.section, name)));
      }
    });
  }
  for_each_label(spec, "scaling", [&](const std::string& name, const SourcePosition& at) {
    const std::vector<std::string>& known = catalog.scalings();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      diagnostics.error(at,
                        fmt::format("there is no scaling '{}'{}", name, suggestion(name, known)));
    }
  });
  kind.check(spec, catalog, diagnostics);
  check_nodes(spec, catalog, diagnostics);
  check_power_limits(spec, catalog, diagnostics);
  check_domains(spec, catalog, diagnostics);
}

}  // namespace scalesweep::study
