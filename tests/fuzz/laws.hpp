// What targets hold to be true, and what they may be refused with.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "fuzz/targets.hpp"
#include "support/choices.hpp"

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

using test::Choices;  // what an input chooses, byte by byte

}  // namespace scalesweep::fuzz
