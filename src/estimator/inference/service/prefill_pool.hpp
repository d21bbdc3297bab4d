// Devices of their own for prompts, of any kind and number beside those that decode (Zhong et al.,
// DistServe, arXiv:2401.09670; Patel et al., Splitwise, arXiv:2311.18677, section 4, with pools of
// different devices).
//
// What a pool does with its layouts depends neither on the devices that decode nor on how they are
// laid out: it is computed once, and the best layout for a rate of requests found by formulas.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "estimator/inference/job.hpp"
#include "estimator/inference/service/prefill_layout.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// So many groups of a layout, which outlives it.
struct PoolSize {
  const PrefillLayout* layout = nullptr;
  std::int64_t groups = 0;

  PromptPool prompts() const;

  double devices() const { return static_cast<double>(groups) * layout->devices(); }
  double replicas() const {
    return static_cast<double>(groups) * layout->prompts.strategy.data_parallel;
  }
};

// In which a replica of such a pool sends the cache of a prompt to one that decodes; null: at once.
using SendingS = std::function<double(const PromptPool& prompts)>;

class PrefillPool {
 public:
  // `groups` are the layouts that are tried, each as group_of_replicas has it; those that do not
  // hold a prompt are left out. `devices` 0: as many as the other pool keeps busy.
  PrefillPool(const ServingJob& job, const technology::System& system,
              const std::vector<parallel::Strategy>& groups, std::int64_t devices);

  std::int64_t devices() const { return devices_; }
  // Empty: none was tried, or none holds a prompt.
  const std::vector<PrefillLayout>& layouts() const { return layouts_; }
  bool was_tried() const { return tried_; }

  // Requests a second that a pool of this size takes within the limits on the time to the first
  // token; 0: not even one that waits for nothing is within them.
  double capacity(const PoolSize& size) const;

  // With the most capacity for each device, so large that nothing waits; the shortest prompt where
  // none keeps the limits.
  PoolSize without_end() const;
  // Of all its devices the one that takes and sends the most.
  PoolSize of_all_devices(const SendingS& sending_s = nullptr) const;
  // As large, of the layout that sends a cache soonest.
  PoolSize soonest_without_end(const SendingS& sending_s) const;
  // The size that answers most requests for each device where `decoding` devices take `rate`: as
  // few as keep up with them, or one group less. Of layouts that send a cache in at most so long.
  PoolSize beside(double rate, double decoding, const SendingS& sending_s,
                  double most_sending_s = std::numeric_limits<double>::infinity()) const;

 private:
  double rate_of_replica(const PoolSize& size) const;
  // What it takes and can send on.
  double passed_on(const PoolSize& size, const SendingS& sending_s) const;

  ServingJob job_;
  RequestMix mix_;
  std::int64_t devices_ = 0;
  bool tried_ = false;
  std::vector<PrefillLayout> layouts_;
};

}  // namespace scalesweep::estimator
