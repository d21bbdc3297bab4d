// The HDF5 library is one for the whole process and lets no two threads in: who calls it while
// other threads read blocks (column_blocks) is one of these meanwhile. Private to src/store.
#pragma once

#include <mutex>

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store::h5 {

// Quiet, too: where HDF5 has errors of each thread, it prints those of each until it is told.
class LibraryTurn {
 public:
  LibraryTurn() : lock_(library()) { quiet(); }

 private:
  static std::mutex& library() {
    static std::mutex library;
    return library;
  }
  std::lock_guard<std::mutex> lock_;
};

}  // namespace scalesweep::store::h5
