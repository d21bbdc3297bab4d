// Changes texts in finished files, as other versions would have written them.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace scalesweep::test {

// Of a dataset that holds one text.
inline void set_text(const std::filesystem::path& path, const std::string& name,
                     const std::string& text) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = H5Dget_type(dataset);
  const char* value = text.c_str();
  const herr_t status = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Tclose(type);
  H5Dclose(dataset);
  H5Fclose(file);
  if (status < 0) {
    throw std::runtime_error("cannot change " + name);
  }
}

}  // namespace scalesweep::test
