// Messages between ranks as bytes: plain values, texts and lists behind each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "core/failure.hpp"

namespace scalesweep {

template <typename T>
void put(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

// A text or a vector of plain values.
template <typename Values>
void put_all(std::vector<std::byte>& bytes, const Values& values) {
  put(bytes, static_cast<std::uint64_t>(values.size()));
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  bytes.insert(bytes.end(), begin, begin + values.size() * sizeof(*values.data()));
}

// Takes a message apart in the order in which it was put together. Throws Failure(mpi_unavailable)
// where it is none: another build wrote it.
class MessageCursor {
 public:
  explicit MessageCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof(T)) {
      fail();
    }
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }

  template <typename Values>
  Values take_all() {
    constexpr std::size_t width = sizeof(typename Values::value_type);
    const auto count = take<std::uint64_t>();
    if (count > bytes_.size() / width) {
      fail();
    }
    Values values;
    values.resize(count);
    if (count > 0) {
      std::memcpy(values.data(), bytes_.data(), count * width);
    }
    bytes_ = bytes_.subspan(count * width);
    return values;
  }

  // The kind behind its tag, if it is an enumerator.
  template <typename Kind>
  Kind take_kind(std::uint8_t tag, Kind last) {
    const auto first = take<std::uint8_t>();
    const auto number = take<std::uint8_t>();
    if (first != tag || number > static_cast<std::uint8_t>(last)) {
      fail();
    }
    return static_cast<Kind>(number);
  }

  void expect_end() const {
    if (!bytes_.empty()) {
      fail();
    }
  }

 private:
  [[noreturn]] static void fail() {
    throw Failure(ExitCode::mpi_unavailable,
                  "ranks do not understand each other: start the same build of scalesweep on all");
  }

  std::span<const std::byte> bytes_;
};

}  // namespace scalesweep
