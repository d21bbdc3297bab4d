#include "deploy/parts/vendors.hpp"

#include <algorithm>
#include <array>

#include "technology/device.hpp"

namespace scalesweep::deploy {
namespace {

struct Names {
  Vendor vendor;
  std::string_view devices;  // how their names begin
  std::string_view text;
};
constexpr auto vendors = std::to_array<Names>({
    {Vendor::amd, "mi", "devices of AMD"},
    {Vendor::google, "tpu-", "TPUs of Google"},
    {Vendor::amazon, "trainium", "Trainium of Amazon"},
    {Vendor::intel, "gaudi", "Gaudi of Intel"},
    {Vendor::intel_cpu, "xeon-", "Xeon processors of Intel"},
    {Vendor::cerebras, "wse-", "wafers of Cerebras"},
    {Vendor::nvidia, "", "GPUs of NVIDIA"},
});

}  // namespace

Vendor vendor_of(std::string_view device) {
  return std::find_if(vendors.begin(), vendors.end(),
                      [&](const Names& one) { return device.starts_with(one.devices); })
      ->vendor;
}

std::string_view name_of(Vendor vendor) {
  return std::find_if(vendors.begin(), vendors.end(),
                      [&](const Names& one) { return one.vendor == vendor; })
      ->text;
}

bool is_blackwell_or_later(const technology::Device& device) {
  return vendor_of(device.name) == Vendor::nvidia &&
         device.tensor_peak[static_cast<std::size_t>(technology::Precision::fp4)] > FlopPerSecond();
}

}  // namespace scalesweep::deploy
