#include "analysis/writers/row_writer.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace scalesweep::analysis {

std::string counts_text(const QueryPlan& plan, const QueryCounts& counts) {
  const auto rows = [](std::int64_t count) {
    return fmt::format("{} row{}", with_thousands(count), count == 1 ? "" : "s");
  };
  std::string text =
      counts.shown < counts.chosen
          ? fmt::format("{} of {}", with_thousands(counts.shown), rows(counts.chosen))
          : rows(counts.chosen);
  if (plan.options.ranks > 1) {
    text += fmt::format(" of dominance ranks 1 to {}", plan.options.ranks);
  } else if (plan.options.frontier) {
    text += " on the frontier";
  } else if (plan.options.best) {
    text += ", the best";
  }
  if (plan.options.frontier || plan.options.best) {
    text += fmt::format(", of {} selected", with_thousands(counts.rows.selected));
  }
  text += fmt::format("; the file has {}", with_thousands(counts.rows.rows));
  if (counts.rows.other_statuses.empty()) {
    return text;
  }
  std::vector<std::string> others;
  for (const auto& [status, count] : counts.rows.other_statuses) {
    others.push_back(fmt::format("{} {}", with_thousands(count), status));
  }
  return text + fmt::format("; not shown as they are not feasible: {}", join(others, ", "));
}

}  // namespace scalesweep::analysis
