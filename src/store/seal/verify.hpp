// Whether all of a study is as it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Lets a child read each file of a study that has a seal, as files without one are read whenever
// they are opened: a seal is no signature, and whoever makes a file to harm can make one that
// holds. For what comes from others, before it is opened. Throws Failure(bad_input) that names the
// file that HDF5 does not survive; what is merely wrong is left to who reads it.
void try_sealed_files(const std::filesystem::path& file);

// All rows of a finished study decoded, so that every checksum is compared, in so many threads (0:
// one for every processor). Throws Failure(io) that names the column and the row where one does
// not hold.
void check_values(const std::filesystem::path& file, std::size_t threads = 0,
                  const PassProgress& progress = {});

struct VerifiedStudy {
  std::int64_t rows = 0;
  std::int64_t files = 0;   // the study's own, and its segments
  std::int64_t sealed = 0;  // of them: all but their chunks is under one digest, which holds
  // Segments of an unfinished study that do not count, "<name>: <why>".
  std::vector<std::string> left_out;
};

// Every value and every description. Throws as check_values, StudyReader and the opening of a file
// do where something is not as it was written.
VerifiedStudy verify_study(const std::filesystem::path& file, std::size_t threads = 0,
                           const PassProgress& progress = {});

// Whether the descriptions of a finished study, and of the segments that hold its rows, are under a
// digest. Throws Failure(bad_input) where one does not hold.
bool is_sealed(const std::filesystem::path& file, Layout layout = Layout::merged);

}  // namespace scalesweep::store
