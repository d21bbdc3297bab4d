// Spec texts for tests: one that is right, and changes to it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace scalesweep::tests {

inline constexpr std::string_view derived_spec = R"(schema = 1
title = "a study"
[workload]
kind = "training"
model = "gpt3-175b"
sequence = 2048
global_batch = 1536
[system]
accelerators = 1024
logic = ["N7", "N5"]
memory = ["HBM3", "HBM4"]
scale_up = { link = "NVLink4", domain = [8, 16] }
scale_out = ["NDRx8", "XDRx8"]
device = { template = "tensor-core-gpu", die_area = "826 mm2", power = "700 W", stacks = 6 }
[strategy]
tensor_parallel = { powers_of_two_to = 32 }
)";

inline constexpr std::string_view catalogued_spec = R"(schema = 1
title = "a study"
[workload]
kind = "training"
model = "gpt3-175b"
sequence = 2048
global_batch = 64
[system]
accelerators = 64
device = ["a100-sxm-80gb", "h100-sxm"]
)";

// Inference on two devices, so many requests at a time.
inline std::string inference_spec(int batch) {
  return R"(schema = 1
title = "Inference"
[workload]
kind = "inference"
model = "llama-2-7b"
prompt = 1000
output = 200
batch = )" +
         std::to_string(batch) + R"(
precision = "fp16"
framework = "tensorrt-llm"
[system]
accelerators = 2
device = "h100-sxm"
[strategy]
tensor_parallel = 2
)";
}

// The text with its one `old` replaced.
inline std::string with(std::string text, std::string_view old, std::string_view replacement) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::logic_error("not exactly one '" + std::string(old) + "' in the spec of a test");
  }
  return text.replace(at, old.size(), replacement);
}
inline std::string with(std::string_view text, std::string_view old, std::string_view replacement) {
  return with(std::string(text), old, replacement);
}

}  // namespace scalesweep::tests
