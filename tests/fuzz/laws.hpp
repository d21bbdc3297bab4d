// What targets hold to be true, and what they may be refused with.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "fuzz/targets.hpp"

namespace scalesweep::fuzz {

// A law that does not hold.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};
inline void require(bool holds, const std::string& law) {
  if (!holds) {
    throw Broken(law);
  }
}

// Whether the body went to its end. A Failure says that the input is wrong, or something around
// us, but for one of our own.
template <typename Body>
bool succeeds(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const Failure& failure) {
    require(failure.code() != ExitCode::internal, failure.what());
    return false;
  }
  return true;
}

inline std::string text_of(Bytes input) {
  return {input.begin(), input.end()};
}

// What an input chooses, byte by byte; 0 where it has ended.
class Choices {
 public:
  explicit Choices(Bytes input) : input_(input) {}

  bool empty() const { return input_.empty(); }
  std::uint8_t byte() {
    if (input_.empty()) {
      return 0;
    }
    const std::uint8_t first = input_.front();
    input_ = input_.subspan(1);
    return first;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : two_bytes() % n; }
  std::uint32_t two_bytes() { return static_cast<std::uint32_t>(byte() << 8U) | byte(); }
  template <typename Values>
  const auto& of(const Values& values) {
    return values[below(std::size(values))];
  }
  Bytes rest() const { return input_; }

 private:
  Bytes input_;
};

}  // namespace scalesweep::fuzz
