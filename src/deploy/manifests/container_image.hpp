// Images of containers, and what a cluster calls the devices in them.
#pragma once

#include <string>
#include <string_view>

#include "deploy/manifests/pool_command.hpp"

namespace scalesweep::deploy {

// That holds the version of the engine for the vendor of the device; "" where none was read.
std::string container_image(const Engine& engine);

// "nvidia.com/gpu"; "" of what clusters have no devices for.
std::string_view device_resource(Vendor vendor);

}  // namespace scalesweep::deploy
