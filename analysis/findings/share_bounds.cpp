#include "analysis/findings/share_bounds.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/bottlenecks/cells.hpp"
#include "core/diagnostic.hpp"
#include "space/spec/spec.hpp"

namespace scalesweep::analysis {
namespace {

// "core_area_share" is the column share_core_area.
std::string column_name(const std::string& share) {
  constexpr std::string_view suffix = "_share";
  return "share_" + share.substr(0, share.size() - suffix.size());
}

std::size_t rows_at(const ResultTable& best, std::size_t column, double bound) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < best.table.rows(); ++row) {
    count += std::fabs(best.table.number(column, row) - bound) < 1e-6 ? 1U : 0U;
  }
  return count;
}

}  // namespace

std::vector<std::string> shares_at_bounds(const store::StudyReader& reader,
                                          const AnalysisResult& result) {
  const auto text = reader.provenance().find("spec");
  if (text == reader.provenance().end()) {
    return {};
  }
  Diagnostics unread;
  const auto spec = space::read_spec("the spec", text->second, unread);
  if (!spec || !spec->allocation) {
    return {};
  }
  std::vector<std::string> sentences;
  for (const space::ShareRange& share : spec->allocation->shares) {
    const auto column = find_column(result.best, column_name(share.name));
    if (!column) {
      continue;
    }
    for (const auto& [bound, words] : {std::pair{share.from, "low"}, {share.to, "high"}}) {
      const std::size_t rows = rows_at(result.best, *column, bound);
      if (rows > 0) {
        sentences.push_back(fmt::format(
            "{} ends at {}, as {} as [allocate] allows, in {} of {} best points: beyond it may be "
            "better ones",
            share.name, bound, words, rows, result.best.table.rows()));
      }
    }
  }
  return sentences;
}

}  // namespace scalesweep::analysis
