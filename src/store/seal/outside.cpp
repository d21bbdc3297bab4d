#include "store/seal/outside.hpp"

#include <fmt/format.h>

#include <string>

namespace scalesweep::store {
namespace {

using h5::Hid;
using h5::owned;

constexpr const char* way_out =
    "a study is one file: take the one that the run wrote, or copy the values into this one";

struct Found {
  std::string name;  // of the first object that lies elsewhere; "": none
  bool may_be_virtual = false;
};

bool is_elsewhere(hid_t dataset, bool may_be_virtual) {
  const Hid properties = owned(H5Dget_create_plist(dataset), H5Pclose, "cannot read a dataset");
  return H5Pget_external_count(properties.get()) > 0 ||
         (H5Pget_layout(properties.get()) == H5D_VIRTUAL && !may_be_virtual);
}

// Called by HDF5: no exception may leave it.
herr_t visit_link(hid_t group, const char* name, const H5L_info_t* info, void* data) {
  auto& found = *static_cast<Found*>(data);
  if (info->type == H5L_TYPE_EXTERNAL) {
    found.name = name;
    return 1;
  }
  if (info->type != H5L_TYPE_HARD) {
    return 0;  // to a name in the same file, which is visited by itself
  }
  try {
    const Hid object = owned(H5Oopen(group, name, H5P_DEFAULT), H5Oclose, "cannot open");
    if (H5Iget_type(object.get()) == H5I_DATASET &&
        is_elsewhere(object.get(), found.may_be_virtual)) {
      found.name = name;
      return 1;
    }
  } catch (const h5::Hdf5Error&) {
    return 0;  // who reads it says what is wrong
  }
  return 0;
}

}  // namespace

void refuse_what_lies_outside(hid_t file) {
  Found found;
  found.may_be_virtual = h5::exists(file, "segments");
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &found);
  if (!found.name.empty()) {
    throw h5::Hdf5Error(
        fmt::format("'{}' lies in another file, which is no part of the study", found.name),
        way_out);
  }
}

}  // namespace scalesweep::store
