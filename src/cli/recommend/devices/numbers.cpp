#include "cli/recommend/devices/numbers.hpp"

#include <algorithm>
#include <set>

namespace scalesweep::cli {
namespace {

constexpr std::size_t most_fewer = 2;

bool is_smooth(std::int64_t number) {
  for (const std::int64_t prime : {2, 3, 5}) {
    while (number > 1 && number % prime == 0) {
      number /= prime;
    }
  }
  return number == 1;
}

std::int64_t power_of_two(std::int64_t most) {
  std::int64_t power = 1;
  while (power <= most / 2) {
    power *= 2;
  }
  return power;
}

}  // namespace

std::int64_t round_number(std::int64_t most) {
  const std::int64_t power = power_of_two(most);
  return power >= 2 && 3 * (power / 2) <= most ? 3 * (power / 2) : power;
}

std::int64_t smooth_number(std::int64_t most, std::int64_t server) {
  std::int64_t servers = most / std::max<std::int64_t>(1, server);
  while (servers > 1 && !is_smooth(servers)) {
    --servers;
  }
  return servers < 1 ? most : servers * server;
}

std::vector<std::int64_t> fewer_devices(std::int64_t devices, std::int64_t server) {
  if (devices < 2) {
    return {};
  }
  std::set<std::int64_t> fewer = {power_of_two(devices), round_number(devices),
                                  smooth_number(devices, server)};
  fewer.erase(devices);
  while (fewer.size() > most_fewer) {
    fewer.erase(fewer.begin());
  }
  return {fewer.begin(), fewer.end()};
}

std::vector<std::int64_t> more_devices(std::int64_t devices, std::int64_t times) {
  std::vector<std::int64_t> more;
  for (std::int64_t power = 1; power <= times * devices; power *= 2) {
    for (const std::int64_t count : {power, power / 2 * 3}) {
      if (count > devices && count <= times * devices) {
        more.push_back(count);
      }
    }
  }
  std::sort(more.begin(), more.end());
  return more;
}

std::int64_t server_size(const std::string& device, const catalog::Catalog& catalog) {
  return std::clamp<std::int64_t>(catalog.usual_system(device).domain.value_or(1), 1,
                                  most_in_server);
}

}  // namespace scalesweep::cli
