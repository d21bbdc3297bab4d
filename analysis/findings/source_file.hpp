// The study file as bytes.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/file/reading.hpp"

namespace scalesweep::analysis {

// SHA-256 of a file of any size: it is read piece by piece. Throws Failure(no_input).
std::string file_sha256(const std::filesystem::path& file, const ReadingOptions& how = {});

}  // namespace scalesweep::analysis
