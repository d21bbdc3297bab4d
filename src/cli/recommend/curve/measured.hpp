// Points that somebody measured, to stand beside a curve.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::cli {

struct MeasuredPoint {
  double user_per_s = 0.0;    // output tokens, of one user
  double device_per_s = 0.0;  // of all users, over the devices
  std::string label;          // points of one are drawn alike; empty: none
};

// Of a CSV file with the columns tokens_per_s_user and tokens_per_s_device, and label where there
// are several series; others are not read. Nothing, and every mistake told, where it has one.
std::optional<std::vector<MeasuredPoint>> read_measured(const std::filesystem::path& file,
                                                        const catalog::Catalog& catalog,
                                                        Diagnostics& diagnostics);

}  // namespace scalesweep::cli
