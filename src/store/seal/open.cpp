#include "store/seal/open.hpp"

#include "store/seal/input_driver.hpp"
#include "store/seal/seal.hpp"
#include "store/seal/trial.hpp"

namespace scalesweep::store {

h5::Hid open_checked(const std::filesystem::path& path) {
  if (check_seal(path) == Seal::none) {
    try_in_child(path);
  }
  return open_again(path);
}

h5::Hid open_again(const std::filesystem::path& path) {
  const h5::Hid access = h5::file_access();
  set_input_driver(access.get());
  return h5::open_file(path, access);
}

}  // namespace scalesweep::store
