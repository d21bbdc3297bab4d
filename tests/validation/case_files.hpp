// Files of measured cases for the tests of this folder.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/host/files.hpp"
#include "support/shipped_catalog.hpp"
#include "validation/cases/case_file.hpp"

namespace scalesweep::test {

inline std::filesystem::path sources() {
  const char* folder = std::getenv("SCALESWEEP_SOURCE_DIR");
  return folder == nullptr ? "." : folder;
}

// CSV files of a folder by name; none if there is no such folder.
inline std::vector<std::filesystem::path> case_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".csv") {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<std::filesystem::path> shipped_case_files() {
  return case_files(sources() / "tests" / "validation");
}

// Other people's large measurements, which do not ship: in the folder that SCALESWEEP_CASES names,
// else beside the project.
inline std::filesystem::path measured_folder() {
  const char* named = std::getenv("SCALESWEEP_CASES");
  return named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                            : sources() / ".." / "shared" / "validation";
}

// Every mistake in the file ends up in `diagnostics`.
inline validation::CaseFile evaluated(const std::filesystem::path& file, Diagnostics& diagnostics) {
  auto cases = validation::evaluate_file(file.filename().string(), read_file(file),
                                         shipped_catalog(), "", diagnostics);
  return cases ? std::move(*cases) : validation::CaseFile();
}

// What is wrong with a file that comes from outside, one a line. Devices, models and frameworks
// that the catalog lacks are not: their rows are printed and stay without a prediction.
inline std::string mistakes(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics.all()) {
    if (one.message.find(": the catalog has no ") != std::string::npos) {
      fmt::print("not predicted: {}\n", to_string(one));
    } else {
      text += to_string(one) + "\n";
    }
  }
  return text;
}

}  // namespace scalesweep::test
