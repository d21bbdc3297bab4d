// What the devices of a replica send each other for a layer, the embedding and the output head in
// one iteration of an engine.
#pragma once

#include <string_view>
#include <vector>

#include "estimator/inference/passes/inference_setting.hpp"
#include "estimator/links/expert_exchange.hpp"
#include "estimator/parts/collective.hpp"
#include "parallel/placement.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

// A collective of an iteration; `bytes` as in parallel::Collective.
struct Message {
  std::string_view name;
  parallel::CollectiveKind kind = parallel::CollectiveKind::all_reduce;
  parallel::Group group;
  double bytes = 0.0;
  bool of_experts = false;              // tokens to experts and back, ...
  bool direct = false;                  // ... written straight to the devices of experts
  parallel::Collective forwarded = {};  // ... inside domains at the same time; of no bytes: nothing
  parallel::Collective received = {};   // at the other end, where that takes longer
};

workload::InferenceSlice slice_of(const Replica& replica, const workload::TokenGroup& prefill,
                                  const workload::TokenGroup& decode);

// Of one layer, and of the output head, in order. Two all-reduces a layer (Shoeybi et al.,
// arXiv:1909.08053, section 3), one where blocks stand side by side; with sequence parallelism a
// reduce-scatter and an all-gather each; tokens to experts and back; keys and values of the other
// parts of a prompt, and the parts of a decoded token's attention; or states of those parts; what
// tensor-parallel ranks that share a cache tell each other. Where experts have devices of their
// own, what goes there and back is expert_link_messages.
std::vector<Message> layer_messages(const Replica& replica, const workload::InferenceSlice& slice,
                                    workload::LayerKind kind,
                                    workload::Mixer mixer = workload::Mixer::attention);
std::vector<Message> head_messages(const Replica& replica, const workload::InferenceSlice& slice);

// The tokens of a layer with experts on their way there, and what experts make of them on the way
// back. Devices of attention stand together and those of experts, so that where they do not fit in
// one scale-up domain all goes over the network between domains. A device of one side reaches all
// of the other (M2N of MegaScale-Infer, arXiv:2504.02263; a bipartite graph,
// Introduction.md of StepMesh at 740ac1259d9b); as many copies go as the stack's dispatch says: one
// for each expert, one for each domain that has some of a token's, or of all_gather one for each
// domain (as StepMesh broadcasts), from where NVLink or the like takes them on. There in the bytes
// that experts multiply, back in those of activations (table 1 of the same: FP8 and BF16). The end
// with more bytes a device sets the time.
std::vector<Message> expert_link_messages(const Replica& replica,
                                          const workload::InferenceSlice& slice);

CollectiveCost message_cost(const Message& message, const InferenceSetting& setting);

}  // namespace scalesweep::estimator
