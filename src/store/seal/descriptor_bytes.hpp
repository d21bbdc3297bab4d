// Bytes of an open file by its descriptor, whatever a signal interrupts. Private to src/store.
#pragma once

#include <cstdint>
#include <span>

namespace scalesweep::store {

// Returns 0, or errno of what failed.
int write_whole(int descriptor, std::uint64_t at, std::span<const std::uint8_t> bytes);

// False where they are not all there.
bool read_whole(int descriptor, std::uint64_t at, std::span<char> bytes);

}  // namespace scalesweep::store
