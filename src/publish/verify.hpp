// Whether a published folder is as it was published, byte for byte, and its documents say what the
// study says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "store/read/study_file.hpp"

namespace scalesweep::publish {

struct Verified {
  std::size_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t rows = 0;
  std::string title;
};

// Throws Failure(no_input) where there is no such folder, or none that was published;
// Failure(bad_input) with a line for everything that is wrong.
Verified verify_folder(const std::filesystem::path& folder, std::size_t threads = 0,
                       const store::PassProgress& progress = {});

}  // namespace scalesweep::publish
