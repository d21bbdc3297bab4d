// A file driver for HDF5 that reads, and compares each chunk with what the seal of the file says of
// it before HDF5 has its bytes. Private to src/store.
#pragma once

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {

// What h5::reason() says where a chunk is not the one that was written there.
inline constexpr const char* other_than_sealed = "its checksum does not hold";

// Files opened with this access, and those that a virtual one has its rows in. Their seals are
// believed (check_seal).
void set_input_driver(hid_t access);

}  // namespace scalesweep::store
