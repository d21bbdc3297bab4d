#include "cli/recommend/assumptions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "technology/precision.hpp"

namespace scalesweep::cli {
namespace {

using technology::Precision;

// Stacks by how the names of devices begin.
struct UsualFramework {
  std::string_view devices;
  std::string_view training;
  std::string_view serving;
};
constexpr std::array<UsualFramework, 3> usual_frameworks = {
    {{"tpu-", "maxtext", "vllm"}, {"mi", "megatron-lm", "vllm-rocm"}, {"", "megatron-lm", "vllm"}}};

// No CUDA and no ROCm.
constexpr std::array<std::string_view, 5> other_devices = {"tpu-", "trainium", "gaudi", "wse-",
                                                           "xeon-"};

// Formats in which weights are published, and served: model cards of OpenAI and Moonshot, report of
// DeepSeek-V3 (arXiv:2412.19437, section 3.3). The other models are published in bf16.
struct PublishedFormat {
  std::string_view model;
  std::string_view precision;
};
constexpr std::array<PublishedFormat, 4> published_formats = {{{"gpt-oss-20b", "w4a16"},
                                                               {"gpt-oss-120b", "w4a16"},
                                                               {"deepseek-v3", "fp8"},
                                                               {"kimi-k2", "fp8"}}};

bool all_multiply(const Devices& devices, Precision precision) {
  return std::all_of(devices.begin(), devices.end(), [&](const technology::Device& device) {
    return technology::matrix_peak(device, precision).si() > 0.0;
  });
}

const UsualFramework& of_device(const std::string& device) {
  return *std::find_if(
      usual_frameworks.begin(), usual_frameworks.end(),
      [&](const UsualFramework& usual) { return device.starts_with(usual.devices); });
}

}  // namespace

std::string usual_framework(Aim aim, const Devices& devices) {
  const UsualFramework* usual = &usual_frameworks.back();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const UsualFramework& own = of_device(devices[i].name);
    usual = i == 0 || &own == usual ? &own : &usual_frameworks.back();
  }
  return std::string(aim == Aim::training ? usual->training : usual->serving);
}

bool can_launch(const std::string& device) {
  return std::none_of(other_devices.begin(), other_devices.end(),
                      [&](std::string_view other) { return device.starts_with(other); });
}

std::string usual_precision(Aim aim, const std::string& model, const Devices& devices) {
  const std::string sixteen = all_multiply(devices, Precision::bf16) ? "bf16" : "fp16";
  const auto* const published =
      std::find_if(published_formats.begin(), published_formats.end(),
                   [&](const PublishedFormat& one) { return one.model == model; });
  if (aim == Aim::training || published == published_formats.end() || sixteen != "bf16") {
    return sixteen;
  }
  const bool is_multiplied = published->precision != "fp8" || all_multiply(devices, Precision::fp8);
  return is_multiplied ? std::string(published->precision) : "w8a16";
}

std::int64_t even_batch(std::int64_t batch, const std::vector<std::int64_t>& counts) {
  std::int64_t step = 1;
  for (const std::int64_t count : counts) {
    step = std::lcm(step, count);
    if (step > batch * batch) {
      return batch;  // nothing suits so many different ones
    }
  }
  while (4 * step > batch && step % 2 == 0) {
    step /= 2;
  }
  return step > batch ? batch : (2 * batch + step) / (2 * step) * step;
}

}  // namespace scalesweep::cli
