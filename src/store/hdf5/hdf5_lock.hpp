// The HDF5 library is one for the whole process and lets no two threads in: who calls it while
// other threads read blocks (column_blocks) holds this meanwhile. Private to src/store.
#pragma once

#include <mutex>

namespace scalesweep::store::h5 {

inline std::mutex& library_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace scalesweep::store::h5
