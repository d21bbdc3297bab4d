// A study's description as it lies in NAME.h5.d/study.h5 or in a finished file. Private to
// src/store.
#pragma once

#include <filesystem>

#include "store/hdf5/hdf5.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Throws Failure(io).
void write_template(const std::filesystem::path& folder, const StudyDescription& study,
                    Durability durability);

std::vector<AxisValues> read_axes(hid_t file);
Schema read_schema(hid_t results);
// Tables hold places where a file holds the numbers of axes: makes it so of columns that were
// described from a file. One of version 1 holds places itself.
void give_stored_numbers(Schema& schema, const std::vector<AxisValues>& axes);
std::vector<Histogram> read_histograms(hid_t file);
std::map<std::string, std::string> read_provenance(hid_t file);

// Of an open file of either kind. Throws Hdf5Error.
StudyDescription read_description(hid_t file);

}  // namespace scalesweep::store
