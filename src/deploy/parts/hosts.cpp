#include "deploy/parts/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::deploy {
namespace {

constexpr std::int64_t most_in_server = 16;
constexpr std::int64_t in_tray = 4;

std::int64_t widest_block(const technology::System& system) {
  std::int64_t widest = 0;
  for (std::size_t level = 0; level < system.domain_level; ++level) {
    if (system.levels[level].size <= most_in_server) {
      widest = std::max<std::int64_t>(widest, system.levels[level].size);
    }
  }
  return widest;
}

}  // namespace

Hosts hosts_of(const technology::System& system, std::int64_t devices) {
  Hosts hosts;
  hosts.devices = devices;
  const std::int64_t domain = system.scale_up_domain();
  std::int64_t server = domain;
  if (domain > most_in_server) {
    server = widest_block(system);
    if (server == 0) {
      server = in_tray;
      hosts.note = fmt::format(
          "servers of {} devices are an assumption: the catalog knows the scale-up domain of {} "
          "alone",
          server, domain);
    }
  }
  hosts.places = std::max<std::int64_t>(1, server);
  hosts.per_node = std::clamp<std::int64_t>(devices, 1, hosts.places);
  hosts.nodes = (devices + hosts.per_node - 1) / hosts.per_node;
  if (hosts.nodes * hosts.per_node != devices) {
    hosts.note = fmt::format(
        "{} devices do not fill {} servers of {}: set the number of each "
        "server by hand",
        devices, hosts.nodes, hosts.per_node);
  }
  return hosts;
}

}  // namespace scalesweep::deploy
