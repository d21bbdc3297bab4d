// The names on a spec's axes, looked up in a catalog: from axis indices to a job and a system.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "space/read/spec.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/point_axes.hpp"
#include "study/resolve/system.hpp"

namespace scalesweep::study {

class Resolver {
 public:
  // Of a complete spec that check_names has nothing against.
  Resolver(const space::Spec& spec, const WorkloadKind& kind,
           std::shared_ptr<const catalog::Catalog> catalog);

  Job job(std::span<const std::int32_t> axis_index) const { return job_(axes_.at(axis_index)); }
  double accelerators(std::span<const std::int32_t> axis_index) const {
    return axes_.at(axis_index)[accelerators_].number;
  }
  // Of the job of this point. `allocated` are the shares of a derived device that no axis says.
  SystemChoice system(std::span<const std::int32_t> axis_index, const Job& job,
                      const technology::Shares& allocated = {}) const;
  // Positions of the axes on which a system depends beside the formats of the job.
  std::vector<std::size_t> system_axes() const { return system_.positions(); }

  // Entries of the catalog that the study rests on, in catalog order.
  const std::vector<const catalog::Entry*>& entries() const { return entries_; }
  // Nodes beyond their series, "logic foundry/A10+1 (extrapolated)".
  const std::vector<std::string>& extrapolated() const { return extrapolated_; }

 private:
  StudyAxes axes_;
  std::size_t accelerators_;
  JobResolver job_;
  SystemResolver system_;
  std::vector<const catalog::Entry*> entries_;
  std::vector<std::string> extrapolated_;
};

// Systems that points have in common whose jobs differ, so many at most: one for each evaluator.
class KnownSystems {
 public:
  // `resolver` outlives it.
  explicit KnownSystems(const Resolver& resolver)
      : resolver_(resolver), axes_(resolver.system_axes()) {}

  // As Resolver::system has it.
  std::shared_ptr<const SystemChoice> at(std::span<const std::int32_t> axis_index, const Job& job,
                                         const technology::Shares& allocated);

 private:
  const Resolver& resolver_;
  std::vector<std::size_t> axes_;
  std::map<std::vector<std::int32_t>, std::shared_ptr<const SystemChoice>> known_;
};

}  // namespace scalesweep::study
