#include "study/resolve/check_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::study {

void check_spec(const space::Spec& spec, const WorkloadKind& kind, const catalog::Catalog& catalog,
                Diagnostics& diagnostics) {
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
  check_pin_rates(spec, catalog, diagnostics);
  check_domains(spec, catalog, diagnostics);
}

}  // namespace scalesweep::study
