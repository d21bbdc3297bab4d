#include "parallel/shared_cache.hpp"

#include <fmt/format.h>

#include <numeric>

#include "workload/inference_layer.hpp"

namespace scalesweep::parallel {

std::string broken_cache_rule(const workload::TransformerModel& model, std::int64_t tensor_parallel,
                              std::int64_t context_parallel, std::int64_t decode_context_parallel) {
  if (decode_context_parallel == 1) {
    return {};
  }
  if (tensor_parallel % decode_context_parallel != 0) {
    return "decode_context_parallel must divide tensor_parallel";
  }
  if (workload::cache_copies(model, tensor_parallel) % decode_context_parallel != 0) {
    return "decode_context_parallel must divide tensor_parallel over the model's kv_heads, so that "
           "its ranks hold copies of the same keys and values";
  }
  if (context_parallel > 1) {
    return "decode_context_parallel above 1 needs context_parallel 1: both cut the cache along the "
           "sequence";
  }
  const std::string_view less = workload::sees_less(model);
  return less.empty() ? ""
                      : fmt::format(
                            "decode_context_parallel above 1 needs layers that see the "
                            "whole context: {}",
                            less);
}

std::int64_t shared_cache_ranks(const workload::TransformerModel& model,
                                std::int64_t tensor_parallel, std::int64_t wanted) {
  return workload::sees_less(model).empty()
             ? std::gcd(wanted, workload::cache_copies(model, tensor_parallel))
             : 1;
}

}  // namespace scalesweep::parallel
