#include "parallel/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::parallel {
namespace {

bool is_power_of_two(std::int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) {
      small.push_back(d);
      if (d != n / d) {
        large.push_back(n / d);
      }
    }
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

// The values a dimension may take where it must divide `bound`.
std::vector<std::int64_t> candidates(const Choices& choices, std::int64_t bound) {
  std::vector<std::int64_t> values = choices.divisors ? divisors(bound) : choices.values;
  std::erase_if(values, [&](std::int64_t v) {
    return v < 1 || (choices.at_most > 0 && v > choices.at_most) ||
           (choices.powers_of_two && !is_power_of_two(v));
  });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Applies the rules in order and counts what each removes.
class Enumeration {
 public:
  Enumeration(const StrategyRules& rules, const workload::TransformerModel& model,
              const JobShape& job)
      : rules_(rules), model_(model), job_(job) {}

  StrategyTable run() {
    for (const std::int64_t tp : candidates(rules_.tensor_parallel, job_.accelerators)) {
      if (tensor_parallel_valid(tp)) {
        add_tensor_parallel(tp);
      }
    }
    order();
    return std::move(table_);
  }

 private:
  // False, and counted against the rule, unless it holds.
  bool require(bool holds, std::string rule) {
    if (holds) {
      return true;
    }
    for (Rejection& rejection : table_.rejections) {
      if (rejection.rule == rule) {
        ++rejection.candidates;
        return false;
      }
    }
    table_.rejections.push_back({std::move(rule), 1});
    return false;
  }

  bool tensor_parallel_valid(std::int64_t tp) {
    return require(
               job_.accelerators % tp == 0,
               fmt::format("tensor_parallel must divide accelerators ({})", job_.accelerators)) &&
           require(
               model_.heads % tp == 0,
               fmt::format("tensor_parallel must divide the model's heads ({})", model_.heads)) &&
           require(model_.kv_heads % tp == 0 || tp % model_.kv_heads == 0,
                   fmt::format("tensor_parallel must divide or be a multiple of the model's "
                               "kv_heads ({})",
                               model_.kv_heads)) &&
           require(model_.hidden % tp == 0 && model_.ffn % tp == 0,
                   fmt::format("tensor_parallel must divide the model's hidden ({}) and ffn ({})",
                               model_.hidden, model_.ffn));
  }

  void add_tensor_parallel(std::int64_t tp) {
    const std::int64_t rest = job_.accelerators / tp;
    for (const std::int64_t pp : candidates(rules_.pipeline_parallel, rest)) {
      if (!require(rest % pp == 0,
                   fmt::format("tensor_parallel x pipeline_parallel must divide accelerators ({})",
                               job_.accelerators)) ||
          !require(model_.layers % pp == 0,
                   fmt::format("pipeline_parallel must divide the model's layers ({})",
                               model_.layers))) {
        continue;
      }
      const std::int64_t dp = rest / pp;
      if (require(job_.global_batch % dp == 0,
                  fmt::format("data_parallel (accelerators / tensor_parallel / "
                              "pipeline_parallel) must divide global_batch ({})",
                              job_.global_batch))) {
        add_batches(tp, pp, dp);
      }
    }
  }

  void add_batches(std::int64_t tp, std::int64_t pp, std::int64_t dp) {
    const std::int64_t local_batch = job_.global_batch / dp;
    for (const std::int64_t micro_batch : candidates(rules_.micro_batch, local_batch)) {
      if (!require(local_batch % micro_batch == 0,
                   "micro_batch must divide global_batch / data_parallel")) {
        continue;
      }
      const std::int64_t micro_batches = local_batch / micro_batch;
      for (const std::int64_t chunks : candidates(rules_.chunks, model_.layers / pp)) {
        if (require(chunks == 1 || pp > 1, "more than one chunk needs pipeline_parallel above 1") &&
            require(model_.layers / pp % chunks == 0,
                    "pipeline_parallel x chunks must divide the model's layers") &&
            require(chunks == 1 || micro_batches % pp == 0,
                    "the interleaved schedule (more than one chunk) needs a number of "
                    "micro-batches that pipeline_parallel divides")) {
          Strategy strategy;
          strategy.tensor_parallel = static_cast<std::int32_t>(tp);
          strategy.pipeline_parallel = static_cast<std::int32_t>(pp);
          strategy.data_parallel = static_cast<std::int32_t>(dp);
          strategy.micro_batch = static_cast<std::int32_t>(micro_batch);
          strategy.micro_batches = static_cast<std::int32_t>(micro_batches);
          strategy.chunks = static_cast<std::int32_t>(chunks);
          add_policies(strategy);
        }
      }
    }
  }

  void add_policies(Strategy strategy) {
    for (const bool sequence_parallel : rules_.sequence_parallel) {
      const int tp = strategy.tensor_parallel;
      if (!require(!sequence_parallel || tp > 1,
                   "sequence_parallel needs tensor_parallel above 1") ||
          !require(!sequence_parallel || job_.sequence % tp == 0,
                   fmt::format("with sequence_parallel, tensor_parallel must divide sequence ({})",
                               job_.sequence))) {
        continue;
      }
      strategy.sequence_parallel = sequence_parallel;
      for (const int zero : rules_.zero) {
        if (!require(zero == 0 || strategy.data_parallel > 1,
                     "zero above 0 needs data_parallel above 1")) {
          continue;
        }
        strategy.zero = static_cast<std::uint8_t>(zero);
        for (const Recompute recompute : rules_.recompute) {
          strategy.recompute = recompute;
          table_.strategies.push_back(strategy);
        }
      }
    }
  }

  // Neighbours share the kernels of a layer.
  void order() {
    std::stable_sort(table_.strategies.begin(), table_.strategies.end(),
                     [](const Strategy& a, const Strategy& b) {
                       return std::tie(a.tensor_parallel, a.sequence_parallel, a.micro_batch) <
                              std::tie(b.tensor_parallel, b.sequence_parallel, b.micro_batch);
                     });
  }

  const StrategyRules& rules_;
  const workload::TransformerModel& model_;
  const JobShape& job_;
  StrategyTable table_;
};

}  // namespace

StrategyTable enumerate_strategies(const StrategyRules& rules,
                                   const workload::TransformerModel& model, const JobShape& job) {
  SCALESWEEP_EXPECT(job.accelerators > 0 && job.global_batch > 0 && job.sequence > 0);
  SCALESWEEP_EXPECT(model.layers > 0 && model.heads > 0 && model.kv_heads > 0);
  return Enumeration(rules, model, job).run();
}

}  // namespace scalesweep::parallel
