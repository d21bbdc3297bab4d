// Bytes of an open file by its descriptor, whatever a signal interrupts. Private to src/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace scalesweep::store {

// A file open for reading, as long as this lives; number() is -1, with errno, where it cannot be.
class Descriptor {
 public:
  explicit Descriptor(const char* path);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A new file for reading and writing in place of what has that name: a link that was put there is
// removed, not followed. -1 with errno.
int create_afresh(const std::filesystem::path& path);

// Returns 0, or errno of what failed.
int write_whole(int descriptor, std::uint64_t at, std::span<const std::uint8_t> bytes);

// The number that the eight bytes from `at` on are, the least first.
std::uint64_t word_at(std::span<const char> bytes, std::size_t at);

// False where they are not all there.
bool read_whole(int descriptor, std::uint64_t at, std::span<char> bytes);

}  // namespace scalesweep::store
