#include "analysis/findings/parts.hpp"

#include <fmt/format.h>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/verdict/why/cautions.hpp"

namespace scalesweep::analysis {
namespace {

std::size_t rows_at(const ResultTable& best, std::size_t column, double bound) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < best.table.rows(); ++row) {
    count += is_at(best.table.number(column, row), bound) ? 1U : 0U;
  }
  return count;
}

}  // namespace

std::vector<std::string> shares_at_bounds(const store::StudyReader& reader,
                                          const AnalysisResult& result) {
  std::vector<std::string> sentences;
  for (const AllocatedRange& share : allocated_ranges(reader)) {
    const auto column = find_column(result[tables::best], share.column);
    if (!column) {
      continue;
    }
    for (const double bound : {share.from, share.to}) {
      const std::size_t rows = rows_at(result[tables::best], *column, bound);
      if (rows > 0) {
        sentences.push_back(fmt::format("{}, in {} of {} best points: beyond it may be better ones",
                                        ends_words(share, bound), rows,
                                        result[tables::best].table.rows()));
      }
    }
  }
  return sentences;
}

}  // namespace scalesweep::analysis
