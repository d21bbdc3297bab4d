// Private to src/store.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace scalesweep::store::h5 {

// The way out of an error of memory.
inline constexpr const char* for_memory =
    "memory was short, or the file is damaged: run the same command again where there is more; "
    "what was computed is kept";

// What went wrong inside a file, and what a user can do about it where that is known; with_file()
// adds which file and turns it into a Failure.
class Hdf5Error : public std::runtime_error {
 public:
  explicit Hdf5Error(const std::string& what, std::string way_out = "")
      : std::runtime_error(what), way_out_(std::move(way_out)) {}
  const std::string& way_out() const { return way_out_; }

 private:
  std::string way_out_;
};

}  // namespace scalesweep::store::h5
