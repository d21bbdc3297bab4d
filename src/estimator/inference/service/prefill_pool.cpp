#include "estimator/inference/service/prefill_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contracts.hpp"
#include "estimator/inference/queueing/waits.hpp"
#include "estimator/inference/service/service.hpp"

namespace scalesweep::estimator {
namespace {

constexpr std::int64_t so_many_that_none_waits = 1'000'000;
constexpr int halvings = 40;

// A prompt leaves the pool with its first token.
ServingJob prompts_of(ServingJob job) {
  for (RequestClass& one : job.requests) {
    one.output = 1.0;
  }
  return job;
}

// Of a replica, whatever their number.
double sending_of_s(const PrefillLayout& layout, const SendingS& sending_s) {
  return sending_s ? sending_s(PoolSize{&layout, 1}.prompts()) : 0.0;
}

// Requests a second whose caches all its replicas can hold and send.
double sent_by(const PoolSize& size, const SendingS& sending_s) {
  const double each_s = sending_of_s(*size.layout, sending_s);
  const double busy = std::max(each_s, places_taken(size.layout->prompts, 1.0, each_s));
  return busy > 0.0 ? size.replicas() * highest_utilisation / busy
                    : std::numeric_limits<double>::infinity();
}

}  // namespace

PromptPool PoolSize::prompts() const {
  PromptPool all = layout->prompts;
  all.strategy.data_parallel *= static_cast<std::int32_t>(groups);
  all.strategy.expert_devices *= static_cast<std::int32_t>(groups);
  all.system = &layout->system;
  return all;
}

PrefillPool::PrefillPool(const ServingJob& job, const technology::System& system,
                         const std::vector<parallel::Strategy>& groups, std::int64_t devices)
    : job_(job), mix_(mix_of(job)), devices_(devices), tried_(!groups.empty()) {
  const ServingJob prompts = prompts_of(job);
  const Demand demand(prompts, system);
  for (const parallel::Strategy& group : groups) {
    if (most_batch(demand, group) >= group.data_parallel) {
      layouts_.push_back(demand.prompts_of(group));
    }
  }
  for (PrefillLayout& layout : layouts_) {
    layout.capacity_without_end = capacity({&layout, so_many_that_none_waits});
  }
}

// Within the mean and the percentiles of the time to the first token, of which waiting grows with
// the rate.
double PrefillPool::rate_of_replica(const PoolSize& size) const {
  const PromptPool prompts = size.prompts();
  const ServingLimits& limits = job_.limits;
  const auto keeps = [&](double rate) {
    const Traffic traffic = prompt_traffic(job_, mix_, prompts, Loop::open, rate);
    const FirstTokenWaits waits = prompt_waits(traffic, mix_);
    const double begun_s = waits.rest_s + traffic.first_s + job_.inference.stack.request_overhead_s;
    const auto within = [&](double wait_s, double limit_s) {
      return limit_s <= 0.0 || begun_s + wait_s <= limit_s;
    };
    bool all = within(waits.prompts.mean_s, limits.time_to_first_token_s);
    for (std::size_t i = 0; i < percentile_count && all; ++i) {
      const double limit_s = limits.first_token_s[i];
      all = limit_s <= 0.0 ||
            within(exceeded_s(waits.prompts, workload::percentiles[i].share_beyond), limit_s);
    }
    return all;
  };
  double low = 0.0;
  double high = highest_utilisation / prompts.next_s;
  if (keeps(high)) {
    return high;
  }
  if (!keeps(1e-6 * high)) {
    return 0.0;
  }
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (keeps(middle) ? low : high) = middle;
  }
  return low;
}

double PrefillPool::capacity(const PoolSize& size) const {
  return size.replicas() > 0.0 ? size.replicas() * rate_of_replica(size) : 0.0;
}

double PrefillPool::passed_on(const PoolSize& size, const SendingS& sending_s) const {
  return std::min(capacity(size), sent_by(size, sending_s));
}

PoolSize PrefillPool::without_end() const {
  SCALESWEEP_EXPECT(!layouts_.empty());
  const auto less = [](const PrefillLayout& a, const PrefillLayout& b) {
    const double of_a = a.capacity_without_end / a.devices();
    const double of_b = b.capacity_without_end / b.devices();
    return of_a != of_b ? of_a < of_b : a.prompts.first_s > b.prompts.first_s;
  };
  return {&*std::max_element(layouts_.begin(), layouts_.end(), less), so_many_that_none_waits};
}

PoolSize PrefillPool::of_all_devices(const SendingS& sending_s) const {
  SCALESWEEP_EXPECT(!layouts_.empty() && devices_ > 0);
  PoolSize best;
  double most = -1.0;
  for (const PrefillLayout& layout : layouts_) {
    const PoolSize size = {&layout, devices_ / layout.prompts.strategy.devices()};
    const double rate = passed_on(size, sending_s);
    const bool sooner = rate == most && layout.prompts.first_s < best.layout->prompts.first_s;
    if (rate > most || sooner) {
      most = rate;
      best = size;
    }
  }
  return best;
}

PoolSize PrefillPool::soonest_without_end(const SendingS& sending_s) const {
  SCALESWEEP_EXPECT(!layouts_.empty());
  const auto sooner = [&](const PrefillLayout& a, const PrefillLayout& b) {
    return sending_of_s(a, sending_s) < sending_of_s(b, sending_s);
  };
  return {&*std::min_element(layouts_.begin(), layouts_.end(), sooner), so_many_that_none_waits};
}

PoolSize PrefillPool::beside(double rate, double decoding, const SendingS& sending_s,
                             double most_sending_s) const {
  SCALESWEEP_EXPECT(!layouts_.empty());
  PoolSize best;
  double most = -1.0;
  const auto consider = [&](const PoolSize& size) {
    const double devices = decoding + size.devices();
    if (rate / devices < most) {
      return;  // whatever its capacity
    }
    const double worth = std::min(rate, passed_on(size, sending_s)) / devices;
    const bool sooner =
        worth == most && size.layout->prompts.first_s < best.layout->prompts.first_s;
    if (worth > most || sooner) {
      most = worth;
      best = size;
    }
  };
  for (const PrefillLayout& layout : layouts_) {
    if (sending_of_s(layout, sending_s) > most_sending_s) {
      continue;
    }
    const double of_group =
        std::min(layout.capacity_without_end / static_cast<double>(so_many_that_none_waits),
                 sent_by({&layout, 1}, sending_s));
    // More bursts reach one of few replicas than one of many: they may take one group more.
    const auto enough = of_group > 0.0 ? static_cast<std::int64_t>(std::ceil(rate / of_group)) : 1;
    for (const std::int64_t groups : {enough - 1, enough, enough + 1}) {
      if (groups > 0) {
        consider({&layout, groups});
      }
    }
  }
  return best;
}

}  // namespace scalesweep::estimator
