#include "deploy/targets/serving_values.hpp"

#include <fmt/format.h>

namespace scalesweep::deploy {

using technology::Precision;

std::string weight_format(const ServingRun& r) {
  const Precision weights = r.job.precision.weights;
  return technology::element_bytes(weights) < 2.0 ? std::string(technology::name_of(weights)) : "";
}

std::vector<std::string> serving_notes(const ServingRun& r) {
  std::vector<std::string> notes;
  if (r.pool == Pool::all && r.servers > 1) {
    notes.push_back(fmt::format("{} such servers behind one address, {} replica{} each", r.servers,
                                r.replicas, r.replicas == 1 ? "" : "s"));
  }
  const std::string format = weight_format(r);
  const bool needs_checkpoint = !format.empty() && format != "fp8";
  if (needs_checkpoint) {
    notes.push_back(fmt::format(
        "MODEL is a checkpoint with weights in {}, which says how they are stored", format));
  }
  if (drafts(r) && r.job.speculation.drafter.on() && !r.job.speculation.drafter.is_behind) {
    notes.push_back(
        fmt::format("DRAFT_MODEL is the checkpoint of {}", r.job.speculation.drafter.model.name));
  }
  return notes;
}

}  // namespace scalesweep::deploy
