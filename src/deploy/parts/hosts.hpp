// The servers that devices stand in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "technology/device.hpp"

namespace scalesweep::deploy {

struct Hosts {
  std::int64_t devices = 1;
  std::int64_t per_node = 1;  // devices of a server
  std::int64_t nodes = 1;
  std::int64_t places = 1;  // of devices in a whole server
  std::string note;  // where the number of devices of a server is an assumption, or does not divide
};

// How many groups of such devices one server takes.
inline std::int64_t groups_in_server(const Hosts& hosts) {
  return hosts.nodes > 1 ? 1 : std::max<std::int64_t>(1, hosts.places / hosts.per_node);
}

// A scale-up domain of at most 16 devices is a server; of a larger one the widest block of links
// inside it with at most 16, else 4 devices (GB200 NVL72: 18 trays of 4).
Hosts hosts_of(const technology::System& system, std::int64_t devices);

}  // namespace scalesweep::deploy
