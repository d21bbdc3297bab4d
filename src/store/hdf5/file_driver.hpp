// What file drivers for HDF5 are made of, whatever they do with the bytes. Private to src/store.
#pragma once

#include "store/hdf5/hdf5.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>  // where later versions declare drivers
#endif
#include <sys/types.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>

namespace scalesweep::store {

// HDF5 knows a file by what it begins with and hands the whole back to us.
struct DriverFile : H5FD_t {
  haddr_t end_of_allocation = 0;
  haddr_t end_of_file = 0;
};

// A driver whose files are of this type, made by new and derived from DriverFile. What it opens,
// compares, reads and writes is the caller's to set. `value` is of the range for drivers that are
// not registered with The HDF Group, which is from 512 on.
template <typename File>
H5FD_class_t driver_of(const char* name, [[maybe_unused]] int value) {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = value;
#endif
  driver.name = name;
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.close = [](H5FD_t* file) -> herr_t {
    const std::unique_ptr<File> owned(static_cast<File*>(file));
    return 0;
  };
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) {
    return static_cast<const File*>(file)->end_of_allocation;
  };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t address) -> herr_t {
    static_cast<File*>(file)->end_of_allocation = address;
    return 0;
  };
  driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) {
    return static_cast<const File*>(file)->end_of_file;
  };
  const H5FD_mem_t spaces[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(spaces), std::end(spaces), std::begin(driver.fl_map));
  return driver;
}

}  // namespace scalesweep::store
