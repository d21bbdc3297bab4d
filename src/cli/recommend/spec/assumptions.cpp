#include "cli/recommend/spec/assumptions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "catalog/read/checkpoints.hpp"
#include "deploy/deploy.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "study/kinds/workload_kind.hpp"
#include "technology/precision.hpp"
#include "workload/framework.hpp"

namespace scalesweep::cli {
namespace {

using technology::Precision;

// Stacks by how the names of devices begin.
struct UsualFramework {
  std::string_view devices;
  std::string_view training;
  std::string_view serving;
};
constexpr std::array<UsualFramework, 2> usual_frameworks = {
    {{"tpu-", "maxtext", "vllm"}, {"", "megatron-lm", "vllm"}}};

// What the weights of a model are published in; "" of 16 bits, and of a name that is not known.
std::string published_in(const std::string& model, const catalog::Catalog& catalog) {
  const catalog::Entry* entry =
      model.empty() ? nullptr : catalog.entry(catalog::Section::models, model);
  const catalog::Value* value = entry == nullptr ? nullptr : entry->value("precision");
  return value == nullptr || value->words.empty() ? "" : value->words.front();
}

// What operands are multiplied in: of "w4a16" 16 bits.
std::string multiplied(const std::string& precision) {
  const auto format = technology::precision_from(precision);
  return format ? std::string(technology::name_of(*format)) : "bf16";
}

// Of weights in so few bits that are multiplied in 16.
std::string weights_alone(Precision precision) {
  return technology::has_four_bits(precision) ? "w4a16" : "w8a16";
}

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

std::string usual_framework(Aim aim, const Devices& devices,
                            const std::vector<std::string>& precisions,
                            const catalog::Catalog& catalog) {
  const UsualFramework* usual = &usual_frameworks.back();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const UsualFramework& own = of_device(devices[i].name);
    usual = i == 0 || &own == usual ? &own : &usual_frameworks.back();
  }
  std::string name(aim == Aim::training ? usual->training : usual->serving);
  // A port that all of them have.
  const std::string port = devices.empty() ? name : catalog.stack_on(devices.front().name, name);
  if (std::all_of(devices.begin(), devices.end(), [&](const technology::Device& device) {
        return catalog.stack_on(device.name, name) == port;
      })) {
    name = port;
  }
  const auto multiplies = [&](const std::string& one) {
    return catalog.has(catalog::Section::frameworks, one) &&
           std::all_of(precisions.begin(), precisions.end(), [&](const std::string& precision) {
             return deploy::unrunnable_format(catalog.framework(one), multiplied(precision))
                 .empty();
           });
  };
  if (multiplies(name)) {
    return name;
  }
  const std::vector<std::string> others =
      deploy::targets_of(aim == Aim::training ? study::training_kind() : study::serving_kind());
  const auto other = std::find_if(others.begin(), others.end(), multiplies);
  return other == others.end() ? name : *other;
}

bool can_launch(Aim aim, const std::string& device) {
  return deploy::any_runs_on(aim == Aim::training ? study::training_kind() : study::serving_kind(),
                             device);
}

std::string usual_precision(Aim aim, const std::string& model, const Devices& devices,
                            const catalog::Catalog& catalog) {
  const std::string sixteen = all_multiply(devices, Precision::bf16) ? "bf16" : "fp16";
  const std::string published = published_in(model, catalog);
  if (aim == Aim::training || published.empty() || sixteen != "bf16") {
    return sixteen;
  }
  const auto format = technology::precision_from(published);
  if (!format) {
    return published;
  }
  const auto checkpoint = catalog::checkpoint_of(catalog, model, *format);
  const Precision multiplied = checkpoint ? checkpoint->multiplied() : *format;
  return all_multiply(devices, multiplied) ? published : weights_alone(*format);
}

bool has_own_stack(const std::string& device) {
  return !of_device(device).devices.empty();
}

}  // namespace scalesweep::cli
