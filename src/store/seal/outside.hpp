// What a file says lies in another one. Private to src/store.
#pragma once

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {

// Throws Hdf5Error that names the object where HDF5 would fetch it, or its values, out of another
// file: no seal and no checksum of a study covers that. Segments are found by their list instead
// (linked_segments.hpp), and where a file has one, columns may be virtual.
void refuse_what_lies_outside(hid_t file);

}  // namespace scalesweep::store
