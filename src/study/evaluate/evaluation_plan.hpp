// What evaluation needs of a study; shared by all evaluators and never changed by them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "space/space.hpp"
#include "study/columns/distributions.hpp"
#include "study/columns/outcome_counts.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/resolve.hpp"
#include "study/rows/keep.hpp"
#include "study/rows/requirements.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

struct EvaluationPlan {
  const WorkloadKind& kind;
  space::Space space;
  Resolver resolver;
  store::Schema schema;
  std::vector<OperatorName> operators;  // that have columns
  std::size_t statuses;                 // of this kind of study
  // Statuses of pruned points: outside of what [search] looked at, and not asked for requirements.
  std::optional<std::size_t> not_searched;
  std::optional<std::size_t> not_asked;
  std::size_t phases;  // of this kind of study
  Requirements requirements;
  KeepRule keep;
  Distributions distributions;
  store::OutcomeNumbers outcomes;
  // Of a study with [allocate]: its candidates, and the rule that has its objective as the first.
  std::optional<space::Allocation> allocation;
  std::optional<KeepRule> allocation_objective;
  // Of a study whose counts are bounded, and for the best strategy of a candidate of [allocate]:
  // searches by lower bounds, where there are bounds.
  std::optional<Search> search;
  std::optional<Search> allocation_search;
  // Of the best or the frontier of a study whose counts are exact and that requires nothing of its
  // rows: of all estimates, which can be kept.
  std::optional<Search> sieve;
  // Of a study with [search], whose counts are bounded.
  std::optional<space::AxisSearch> grid_search;
};

}  // namespace scalesweep::study
