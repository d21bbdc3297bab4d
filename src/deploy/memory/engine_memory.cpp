#include "deploy/memory/engine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "estimator/parts/capacity.hpp"

namespace scalesweep::deploy {
namespace {

// What no engine can take: the driver's context and communication buffers.
double outside_bytes(const technology::Device& device) {
  return device.dram.capacity.si() - estimator::usable_memory_bytes(device);
}

class Engine {
 public:
  Engine(const EngineMemory& engine, const CacheDemand& demand, const technology::Device& device)
      : share_of_(engine.share_of),
        all_(device.dram.capacity.si()),
        usable_(estimator::usable_memory_bytes(device)),
        weights_(demand.memory.weights_bytes + engine.padding_bytes),
        outside_(engine.graphs_beside ? engine.graph_bytes : 0.0),
        beside_(demand.memory.activations_bytes + engine.sampler_bytes + engine.graph_bytes -
                outside_) {}

  double budget(double share) const {
    switch (share_of_) {
      case ShareOf::device:
        return share * all_ - weights_ - beside_;
      case ShareOf::static_part:
        return share * all_ - weights_;
      case ShareOf::free:
        return share * (usable_ - weights_ - beside_);
    }
    return 0.0;
  }

  // The largest share that leaves room for what is not in it, in hundredths.
  double most() const {
    switch (share_of_) {
      case ShareOf::device:
        return hundredths((usable_ - outside_) / all_);
      case ShareOf::static_part:
        return hundredths((usable_ - beside_) / all_);
      case ShareOf::free:
        return 0.99;
    }
    return 0.0;
  }

  double chosen(double default_share, double needed) const {
    const double most_share = std::max(0.01, most());
    double share = std::min(default_share, most_share);
    while (budget(share) < needed && share + 0.005 < most_share) {
      share = std::round(100.0 * share + 1.0) / 100.0;
    }
    return share;
  }

 private:
  static double hundredths(double share) { return std::floor(100.0 * share) / 100.0; }

  ShareOf share_of_;
  double all_;
  double usable_;
  double weights_;
  double outside_;  // of the share
  double beside_;
};

std::string bytes(double value) {
  return with_si_prefix(value, "B");
}

std::string share_text(const MemoryCheck& check) {
  if (check.share == check.default_share) {
    return fmt::format("{} {:g} (the default)", check.option, check.share);
  }
  return fmt::format("{} {:g} (instead of the default {:g})", check.option, check.share,
                     check.default_share);
}

// "1.2 GB of weights, 3 GB of activations and 1 GB of CUDA graphs (of 51 sizes, assumed)".
std::string parts_text(const MemoryCheck& check) {
  const std::string weights = bytes(check.weights_bytes) + " of weights";
  const std::string activations = bytes(check.activations_bytes) + " of activations";
  return check.graph_sizes == 0
             ? fmt::format("{} and {}", weights, activations)
             : fmt::format("{}, {} and {} of CUDA graphs (of {} sizes, assumed)", weights,
                           activations, bytes(check.graphs_bytes), check.graph_sizes);
}

// Of layers of several kinds.
std::string held_text(const MemoryCheck& check) {
  return check.held_ratio == 1.0
             ? ""
             : fmt::format(
                   " Its pages and pools hold {:.3g} times what the layers of this model keep of "
                   "a request.",
                   check.held_ratio);
}

std::string text_of(const MemoryCheck& check) {
  const std::string pool = check.pool.empty() ? "" : check.pool + ": ";
  if (!check.fits) {
    return fmt::format(
        "{}the estimate needs {} of cache for {:.3g} sequences of a replica, and {} leaves {} "
        "beside {} on {}",
        pool, bytes(check.cache_bytes), check.sequences, share_text(check),
        bytes(std::max(0.0, check.budget_bytes)), parts_text(check), bytes(check.device_bytes));
  }
  return fmt::format(
      "{}Memory of a device: {} gives {} of cache beside {} on {}: {} sequences of a replica or "
      "{} tokens; the estimate needs {} for {:.3g} sequences.{}",
      pool, share_text(check), bytes(check.budget_bytes), parts_text(check),
      bytes(check.device_bytes),
      with_thousands(static_cast<std::int64_t>(check.sequences_that_fit)),
      with_thousands(static_cast<std::int64_t>(check.tokens_that_fit)), bytes(check.cache_bytes),
      check.sequences, held_text(check));
}

}  // namespace

MemoryCheck check_memory(const EngineMemory& engine, const CacheDemand& demand,
                         const technology::Device& device, std::string_view pool) {
  const Engine of(engine, demand, device);
  MemoryCheck check;
  check.pool = pool;
  check.option = engine.option;
  check.default_share = engine.default_share;
  check.device_bytes = device.dram.capacity.si();
  check.weights_bytes = demand.memory.weights_bytes + engine.padding_bytes;
  check.activations_bytes = demand.memory.activations_bytes + engine.sampler_bytes;
  check.graphs_bytes = engine.graph_bytes;
  check.graph_sizes = engine.graph_sizes;
  check.held_ratio = engine.held_ratio;
  const double held_bytes = demand.memory.cache_bytes * engine.held_ratio;
  check.cache_bytes = held_bytes + demand.memory.prefix_bytes;
  check.sequences = demand.sequences;
  check.share = of.chosen(engine.default_share, check.cache_bytes);
  check.budget_bytes = of.budget(check.share);
  const double of_one = demand.sequences > 0.0 ? held_bytes / demand.sequences : 0.0;
  if (of_one > 0.0) {
    const double room = std::max(0.0, check.budget_bytes - demand.memory.prefix_bytes);
    check.sequences_that_fit = std::floor(room / of_one);
    check.tokens_that_fit = std::floor(room / of_one * demand.tokens_of_sequence);
  }
  check.fits = check.budget_bytes >= check.cache_bytes && check.budget_bytes > 0.0;
  check.text = text_of(check);
  return check;
}

MemoryCheck check_memory(const estimator::TrainingEstimate& estimate,
                         const technology::Device& device) {
  const estimator::MemoryUse& memory = estimate.memory;
  MemoryCheck check;
  check.device_bytes = device.dram.capacity.si();
  check.weights_bytes = memory.weights_bytes;
  check.activations_bytes = memory.activations_bytes;
  check.states_bytes = memory.gradients_bytes + memory.optimizer_bytes;
  check.budget_bytes = estimator::usable_memory_bytes(device);
  check.fits = estimate.verdict == estimator::Verdict::fits;
  const std::string parts = fmt::format(
      "{} of weights, {} of gradients and optimizer states, {} of activations, {} with what the "
      "allocator holds",
      bytes(check.weights_bytes), bytes(check.states_bytes), bytes(check.activations_bytes),
      bytes(memory.reserved_bytes));
  const std::string there = fmt::format("{} of {}, {} set aside for the driver and communication",
                                        bytes(check.budget_bytes), bytes(check.device_bytes),
                                        bytes(outside_bytes(device)));
  check.text = check.fits ? fmt::format("Memory of a device: {}; there are {}.", parts, there)
                          : fmt::format("a device needs {}; there are {}", parts, there);
  return check;
}

}  // namespace scalesweep::deploy
