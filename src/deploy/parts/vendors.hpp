// Who makes a device, by how its name begins: what programs run on is told by vendors.
#pragma once

#include <cstdint>
#include <string_view>

namespace scalesweep::technology {
struct Device;
}

namespace scalesweep::deploy {

enum class Vendor : std::uint8_t { nvidia, amd, google, amazon, intel, intel_cpu, cerebras };

// Of names that no vendor's begins with NVIDIA: devices of one's own are taken for its kind.
Vendor vendor_of(std::string_view device);
std::string_view name_of(Vendor vendor);  // "TPUs of Google"

// Whether it is a GPU of NVIDIA of Blackwell or what came after it: it multiplies four bits.
bool is_blackwell_or_later(const technology::Device& device);

}  // namespace scalesweep::deploy
