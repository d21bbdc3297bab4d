// What goes wrong, as a value that a test can look at.
#pragma once

#include <functional>

#include "core/failure.hpp"

namespace scalesweep::test {

// The Failure that `body` throws; ExitCode::ok and "no failure" if it throws none.
inline Failure failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure;
  }
  return {ExitCode::ok, "no failure"};
}

}  // namespace scalesweep::test
