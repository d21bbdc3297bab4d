#include "study/resolve/resolve.hpp"

#include "study/resolve/used_entries.hpp"

namespace scalesweep::study {

Resolver::Resolver(const space::Spec& spec, const WorkloadKind& kind,
                   std::shared_ptr<const catalog::Catalog> catalog)
    : axes_(spec.axes, std::move(catalog)),
      accelerators_(axes_.find("accelerators").value()),
      job_(kind.jobs(spec, axes_)),
      system_(axes_),
      entries_(used_entries(axes_)),
      extrapolated_(extrapolated_nodes(axes_)) {}

SystemChoice Resolver::system(std::span<const std::int32_t> axis_index, const Job& job,
                              const technology::Shares& allocated) const {
  return system_.at(axes_.at(axis_index), allocated, job.multiplied);
}

}  // namespace scalesweep::study
