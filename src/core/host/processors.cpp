#include "core/host/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace scalesweep {

unsigned usable_processors() {
  cpu_set_t bound;
  CPU_ZERO(&bound);
  // Fails where there are more processors than the set has room for.
  if (::sched_getaffinity(0, sizeof bound, &bound) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&bound)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

unsigned share_of_processors(int processes) {
  return std::max(1U, usable_processors() / static_cast<unsigned>(std::max(1, processes)));
}

}  // namespace scalesweep
