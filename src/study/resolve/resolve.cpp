#include "study/resolve/resolve.hpp"

#include <utility>

#include "study/resolve/used_entries.hpp"

namespace scalesweep::study {

Resolver::Resolver(const space::Spec& spec, const WorkloadKind& kind,
                   std::shared_ptr<const catalog::Catalog> catalog)
    : axes_(spec.axes, std::move(catalog)),
      accelerators_(axes_.find("accelerators").value()),
      job_(kind.jobs(spec, axes_)),
      system_(axes_),
      entries_(used_entries(axes_, kind.form)),
      extrapolated_(extrapolated_nodes(axes_)) {}

SystemChoice Resolver::system(std::span<const std::int32_t> axis_index, const Job& job,
                              const technology::Shares& allocated) const {
  return system_.at(axes_.at(axis_index), allocated, job.multiplied);
}

std::shared_ptr<const SystemChoice> KnownSystems::at(std::span<const std::int32_t> axis_index,
                                                     const Job& job,
                                                     const technology::Shares& allocated) {
  // First come, first kept: of systems that are gone along in turn, the last ones would drive out
  // what comes next.
  constexpr std::size_t most = 512;
  const auto resolved = [&] {
    return std::make_shared<const SystemChoice>(resolver_.system(axis_index, job, allocated));
  };
  if (allocated.core_area || allocated.memory_edge || allocated.memory_power) {
    return resolved();
  }
  std::vector<std::int32_t> key;
  key.reserve(axes_.size() + job.multiplied.size());
  for (const std::size_t axis : axes_) {
    key.push_back(axis_index[axis]);
  }
  for (const technology::Precision format : job.multiplied) {
    key.push_back(static_cast<std::int32_t>(format));
  }
  const auto found = known_.find(key);
  if (found != known_.end()) {
    return found->second;
  }
  std::shared_ptr<const SystemChoice> system = resolved();
  if (known_.size() < most) {
    known_.emplace(std::move(key), system);
  }
  return system;
}

}  // namespace scalesweep::study
