// What files of a study are called, and how they say what they are.
#pragma once

#include <filesystem>

namespace scalesweep::store {

// Values of the root attribute `format`.
constexpr const char* study_format = "scalesweep-study";
constexpr const char* segment_format = "scalesweep-segment";
constexpr const char* running_format = "scalesweep-running";

// In NAME.h5.d, beside the segments.
constexpr const char* description_name = "study.json";

// A finished file without rows, but for its format: what study.json has no room for.
constexpr const char* template_name = "study.h5";

// Of the study at `output`, while it is not finished.
constexpr const char* segments_ending = ".d";

inline std::filesystem::path segments_folder(const std::filesystem::path& output) {
  return output.string() + segments_ending;
}

// The file that a merge into `output` writes until it is whole.
inline std::filesystem::path partial_name(const std::filesystem::path& output) {
  return output.string() + ".partial";
}

}  // namespace scalesweep::store
