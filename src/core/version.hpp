// What this binary is: filled in at build time (src/cmake/Version.cmake).
#pragma once

#include <string>

namespace scalesweep {

struct BuildInfo {
  std::string version;       // 0.1.0
  std::string git_revision;  // short hash, with "+" if the tree was modified; "unknown" outside git
  std::string compiler;      // GNU 12.2.0
  std::string build_type;    // Release
  std::string estimator_hash;  // SHA-256 over the sources that decide an estimate
};

const BuildInfo& build_info();

}  // namespace scalesweep
