// The names on a spec's axes, looked up in a catalog: from axis indices to a job and a system.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "space/spec/spec.hpp"
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

}  // namespace scalesweep::study
