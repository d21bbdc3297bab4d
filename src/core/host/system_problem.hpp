// What a failed call of the system means to a user.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace scalesweep {

// Of open(): files or memory are too few, which says nothing of the file itself.
inline bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

// A thread or process that cannot be started says no more than "try again".
inline std::string system_problem(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again
             ? "no further thread or process can be started: memory, or their number, has a limit "
               "here (ulimit -v, ulimit -u)"
             : error.what();
}

}  // namespace scalesweep
