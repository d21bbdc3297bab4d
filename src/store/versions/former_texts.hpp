// What files of format version 1 and 2 hold: sentences where there is JSON now, and columns by
// their former names. Private to src/store.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {

// The attributes of a root, or the texts of /provenance, those of a union's parts among them.
// What cannot be understood stays as it is.
void use_present_texts(std::map<std::string, std::string>& texts);

// Behind "study_<number>_", where a text is of one part of a union.
std::string_view name_in_part(std::string_view name);

// The dataset of a column in /results of an open file of any version.
h5::Hid open_column(hid_t file, const std::string& name);

}  // namespace scalesweep::store
