// The catalog that ships, with a copy of each device, link and port beside it that has twice as
// much of one thing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"

namespace scalesweep::laws {

// Of a device: what a copy has more of, by the keys of its entry.
struct Resource {
  std::string_view name;  // of the copy, behind the device's
  std::string_view key;   // "tensor_peak." is every key in that table
  double factor = 2.0;
};
std::span<const Resource> resources();

// "h100-sxm" with more DRAM bandwidth; a copy there need not be of each.
std::string better_name(std::string_view name, std::string_view resource);
// "NDRx8" with ports of twice the rate.
std::string better_port(std::string_view name);
inline constexpr std::string_view better_scale_up = "scale-up";
inline constexpr std::string_view better_scale_out = "scale-out";

std::shared_ptr<const catalog::Catalog> better_catalog();

}  // namespace scalesweep::laws
