#include "store/seal/open.hpp"

#include "store/seal/input_driver.hpp"
#include "store/seal/outside.hpp"
#include "store/seal/seal.hpp"
#include "store/seal/trial.hpp"

namespace scalesweep::store {

h5::Hid open_checked(const std::filesystem::path& path) {
  if (check_seal(path) == Seal::whole) {
    return open_again(path);  // as a run wrote it
  }
  try_in_child(path);
  // Opened anew behind it: of a damaged file in which a visit failed, HDF5 says that attributes are
  // not there where it would else say that they cannot be read.
  refuse_what_lies_outside(open_again(path).get());
  return open_again(path);
}

h5::Hid open_again(const std::filesystem::path& path) {
  const h5::Hid access = h5::file_access();
  set_input_driver(access.get());
  return h5::open_file(path, access);
}

}  // namespace scalesweep::store
