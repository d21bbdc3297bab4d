// Bytes of an open file by its descriptor, whatever a signal interrupts. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace scalesweep::store {

// A new file for reading and writing in place of what has that name: a link that was put there is
// removed, not followed. -1 with errno.
int create_afresh(const std::filesystem::path& path);

// Returns 0, or errno of what failed.
int write_whole(int descriptor, std::uint64_t at, std::span<const std::uint8_t> bytes);

// The number that up to eight bytes are, the least first.
std::uint64_t little_endian(std::span<const char> bytes);

// False where they are not all there.
bool read_whole(int descriptor, std::uint64_t at, std::span<char> bytes);

}  // namespace scalesweep::store
