#include "deploy/targets/serving_values.hpp"

#include <fmt/format.h>

namespace scalesweep::deploy {

using technology::Precision;

std::string weight_format(const ServingRun& r) {
  Precision weights = r.job.precision.weights;
  for (std::size_t i = 0; i < workload::linear_part_names.size(); ++i) {
    const auto part = workload::LinearPart(i);
    const bool has_it = part != workload::LinearPart::experts || r.job.model.experts.on();
    const Precision own = r.job.precision.weights_of(part);
    if (has_it && technology::element_bytes(own) < technology::element_bytes(weights)) {
      weights = own;
    }
  }
  return technology::element_bytes(weights) < 2.0 ? std::string(technology::name_of(weights)) : "";
}

std::vector<std::string> serving_notes(const ServingRun& r) {
  std::vector<std::string> notes;
  if (r.pool == Pool::all && r.servers > 1) {
    notes.push_back(fmt::format("{} such servers behind one address, {} replica{} each", r.servers,
                                r.replicas, r.replicas == 1 ? "" : "s"));
  }
  const std::string format = weight_format(r);
  const bool uneven = !r.job.precision.is_uniform();
  const bool needs_checkpoint = !format.empty() && (format != "fp8" || uneven);
  if (needs_checkpoint) {
    notes.push_back(
        fmt::format("MODEL is a checkpoint with weights in {}{}, which says how they are stored",
                    format, uneven ? " but for some layers" : ""));
  }
  if (drafts(r) && r.job.speculation.drafter.on() && !r.job.speculation.drafter.is_behind) {
    notes.push_back(
        fmt::format("DRAFT_MODEL is the checkpoint of {}", r.job.speculation.drafter.model.name));
  }
  return notes;
}

}  // namespace scalesweep::deploy
