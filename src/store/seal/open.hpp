// A file of a study opened for reading: nothing reaches HDF5 that would harm it. Private to
// src/store.
#pragma once

#include <filesystem>

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {

// Throws Hdf5Error as h5::open_file does, and where the file has a seal that does not hold, or none
// and does not survive a trial in a child or has a part in another file.
h5::Hid open_checked(const std::filesystem::path& path);
// What this process has opened so before, once more.
h5::Hid open_again(const std::filesystem::path& path);

}  // namespace scalesweep::store
