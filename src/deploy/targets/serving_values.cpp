#include "deploy/targets/serving_values.hpp"

#include <fmt/format.h>

#include "estimator/inference/drafter.hpp"

namespace scalesweep::deploy {
namespace {

using technology::Precision;

// Weights of four bits that are multiplied in more have either format, which have the same bytes.
std::string stored_text(const ServingRun& r, Precision weights, Precision operands) {
  const bool is_widened = weights == Precision::fp4 && operands != Precision::fp4;
  return is_widened && r.job.precision.is_uniform() ? "int4 (or another format of 4 bits)"
                                                    : std::string(technology::name_of(weights));
}

void add_checkpoint(const ServingRun& r, std::vector<std::string>& notes) {
  const std::string format = weight_format(r);
  const bool uneven = !r.job.precision.is_uniform();
  if (!format.empty() && (format != "fp8" || uneven)) {
    notes.push_back(
        fmt::format("MODEL is a checkpoint with weights in {}{}, which says how they are stored",
                    format, uneven ? " but for some layers" : ""));
  }
}

void add_draft(const ServingRun& r, std::vector<std::string>& notes) {
  const std::string& name = r.job.speculation.drafter.model.name;
  if (proposer_of(r) == Proposer::model) {
    notes.push_back(
        fmt::format("DRAFT_MODEL is the path or the name of the checkpoint of {}", name));
  } else if (proposer_of(r) == Proposer::head) {
    notes.push_back(fmt::format(
        "DRAFT_MODEL is the path or the name of the checkpoint of an EAGLE head of {}", name));
  }
}

void add_prefixes(const ServingRun& r, std::vector<std::string>& notes) {
  const estimator::PrefixTiers& tiers = r.job.prefixes;
  const std::size_t host = estimator::index_of(estimator::PrefixTier::host);
  if (keeps_prefixes_in_host(r) && tiers.bytes[host] <= 0.0) {
    notes.emplace_back(
        "the study does not say how much memory of the host prefixes may take: taken is as much as "
        "the devices have");
  }
  if (takes_prompts(r) && tiers.storage_hits > 0.0) {
    notes.emplace_back(
        "prefixes in storage need a backend that the study does not name: without one their hits "
        "are computed");
  }
}

}  // namespace

workload::ExpertDispatch dispatch_of(const ServingRun& r) {
  return r.pool == Pool::decode ? r.job.stack.decode_expert_dispatch : r.job.stack.expert_dispatch;
}

Proposer proposer_of(const ServingRun& r) {
  const estimator::Speculation& own = r.job.speculation;
  if (own.draft <= 0 || r.pool == Pool::prefill) {
    return Proposer::none;
  }
  if (!own.drafter.on()) {
    return Proposer::prompt;
  }
  if (!own.drafter.is_behind) {
    return Proposer::model;
  }
  return r.job.model.prediction_layers > 0 &&
                 own.drafter == estimator::prediction_drafter(r.job.model)
             ? Proposer::own_layers
             : Proposer::head;
}

double host_cache_bytes(const ServingRun& r) {
  const double said = r.job.prefixes.bytes[estimator::index_of(estimator::PrefixTier::host)];
  return said > 0.0 ? said : r.system.device.dram.capacity.si();
}

std::string weight_format(const ServingRun& r) {
  Precision weights = r.job.precision.weights;
  Precision operands = r.job.precision.operands;
  for (std::size_t i = 0; i < workload::linear_part_names.size(); ++i) {
    const auto part = workload::LinearPart(i);
    const bool has_it = part != workload::LinearPart::experts || r.job.model.experts.on();
    const Precision own = r.job.precision.weights_of(part);
    if (has_it && technology::element_bytes(own) < technology::element_bytes(weights)) {
      weights = own;
      operands = r.job.precision.operands_of(part);
    }
  }
  return technology::element_bytes(weights) < 2.0 ? stored_text(r, weights, operands) : "";
}

std::vector<std::string> serving_notes(const ServingRun& r, bool starts_nodes) {
  std::vector<std::string> notes;
  if (r.pool == Pool::all && r.servers > 1) {
    notes.push_back(fmt::format("{} such servers behind one address, {} replica{} each", r.servers,
                                r.replicas, r.replicas == 1 ? "" : "s"));
  }
  if (spans_servers(r) && starts_nodes) {
    notes.push_back(
        fmt::format("each of the {} nodes of a server runs its command, with NODE_RANK its number "
                    "from 0 on and "
                    "HEAD_ADDRESS the address of the first one and a free port of it, HOST:PORT",
                    r.hosts.nodes));
  }
  add_checkpoint(r, notes);
  add_draft(r, notes);
  add_prefixes(r, notes);
  return notes;
}

}  // namespace scalesweep::deploy
