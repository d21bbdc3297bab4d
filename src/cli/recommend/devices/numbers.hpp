// Numbers of devices that many layouts divide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace scalesweep::cli {

inline constexpr std::int64_t most_in_server = 8;

// The largest number not above `most` that is a power of two or three times one.
std::int64_t round_number(std::int64_t most);

// The largest number of devices in whole servers, not above `most`, that has no factors but 2, 3
// and 5; what is less than a server as it is. Others leave few layouts.
std::int64_t smooth_number(std::int64_t most, std::int64_t server);

// Fewer of `devices` that may do more than all of them, of which some layouts divide no part:
// powers of two and whole servers, two numbers at most, ascending.
std::vector<std::int64_t> fewer_devices(std::int64_t devices, std::int64_t server);

// More than `devices` up to so many times, ascending: powers of two and three times them.
std::vector<std::int64_t> more_devices(std::int64_t devices, std::int64_t times);

// Of a server of a device of the catalog: at most most_in_server.
std::int64_t server_size(const std::string& device, const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
