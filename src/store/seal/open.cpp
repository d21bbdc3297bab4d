#include "store/seal/open.hpp"

#include "store/seal/seal.hpp"
#include "store/seal/trial.hpp"

namespace scalesweep::store {

h5::Hid open_checked(const std::filesystem::path& path) {
  if (check_seal(path) == Seal::none) {
    try_in_child(path);
  }
  return h5::open_file(path);
}

}  // namespace scalesweep::store
