// The kernels of the passes of iterations: all of what they take that no network decides. Systems
// with the same device share them, and jobs that differ in lengths most of their products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/parts/cost.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

// How the caches of sequences grow from one iteration to the next; all else of it stays.
struct CacheGrowth {
  enum class Of : std::uint8_t { nothing, prefill, decode };

  Of of = Of::nothing;
  double iterations = 1.0;
  double first_tokens = 0.0;  // of each sequence, in the first one
  double step_tokens = 0.0;   // more in each that follows

  friend bool operator==(const CacheGrowth&, const CacheGrowth&) = default;
};

// What of a layer with attention depends on how long the caches are.
struct CacheAttention {
  struct Span {
    Cost cost;
    double issue_s = 0.0;  // of the host
  };
  Span whole, window;
};

// A variant of the layers of a kind, without attention where that is its mixer.
struct VariantKernels {
  workload::LayerVariant variant;
  InferenceBlock block;
};
using LayerKernels = std::vector<VariantKernels>;  // one, but of models that mix layers

// Of one of so many equal micro-batches, the layers with experts: on devices of attention, and on
// those of experts.
struct TurnKernels {
  double micro_batches = 1.0;
  LayerKernels attention;
  InferenceBlock experts;
};

struct PassKernels {
  LayerKernels layer, expert_layer;
  InferenceBlock embedding, head;
  InferenceBlock encoder;          // of the images of the prompts
  bool has_halves = false;         // of half a batch,
  LayerKernels half_expert_layer;  // where it may run beside the exchange of the other half
  std::vector<TurnKernels> turns;  // instead of expert_layer, where experts have their own devices

  // Of so many iterations, what caches of one length take.
  struct Length {
    double iterations = 1.0;
    CacheAttention attention;
    CacheAttention half_attention = {};
    std::vector<CacheAttention> turn_attention = {};  // of `turns`
  };
  std::vector<Length> lengths;

  // Of the host, in all of it; 0: layers are the sums of their kernels.
  double issue_s() const;
  // Of an iteration with caches of a mean length.
  CacheAttention mean_attention(double iterations) const;
};

// Seconds that the host takes to issue the operators of all variants.
double issue_of(const LayerKernels& layer);

// A part of the requests, as much of each; half of them.
workload::InferenceSlice part_of(workload::InferenceSlice slice, double share);
workload::InferenceSlice half_of(const workload::InferenceSlice& slice);

// A midpoint rule over few lengths: exact where iterations are affine in the length.
// `slice` has the sequences and, of what does not grow, the caches.
PassKernels pass_kernels(const InferenceSetting& setting, const workload::InferenceSlice& slice,
                         const CacheGrowth& growth);

// Those that were asked for on one device at any clock. One per thread.
class PassMemo {
 public:
  PassMemo(const InferenceJob& job, const technology::Device& device);

  // Whether kernels of this job on this device are those that it knows.
  bool holds_for(const InferenceJob& job, const technology::Device& device) const;
  // As pass_kernels(), to the bit, of a setting whose job it holds for at any clock of the device.
  // Holds until the next call.
  const PassKernels& at(const InferenceSetting& setting, const workload::InferenceSlice& slice,
                        const CacheGrowth& growth);
  // Of a model that drafts for this one, on the same device: its passes have slices like those of
  // this one, and are others.
  const std::shared_ptr<PassMemo>& of_drafter(const InferenceJob& drafter);

 private:
  bool is_of(const InferenceJob& job) const;

  struct Key {
    double clock_hz = 0.0;
    double kept_share = 0.0;  // of weights and caches in L2
    workload::InferenceSlice slice;
    CacheGrowth growth;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // All that kernels depend on beside a slice.
  workload::TransformerModel model_;
  InferencePrecision precision_;
  workload::ServingStack stack_;
  AdapterSet adapters_;
  technology::Device device_;

  std::shared_ptr<PassMemo> drafter_;
  std::unordered_map<Key, PassKernels, Hash> passes_;
  std::map<std::pair<double, double>, KnownProducts> products_;  // by clock and share in L2
  std::size_t count_ = 0;                                        // of all products
};

// `before` where it holds for these, else a new one.
std::shared_ptr<PassMemo> pass_memo(const InferenceJob& job, const technology::Device& device,
                                    const std::shared_ptr<PassMemo>& before = nullptr);

}  // namespace scalesweep::estimator
