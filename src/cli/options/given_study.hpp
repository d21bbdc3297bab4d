// The study that is given to a command: its spec, or its finished file alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/options/options.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct GivenStudy {
  study::Study study;
  std::optional<std::filesystem::path> file;  // that it was read from
  bool is_part = false;                       // of several in the file
  PointId first_id = 0;                       // what its points have there beside their ids
};

// `operand`: SPEC.toml or FILE.h5. Prints every mistake, and what is another than when the file was
// computed, to streams.err. Nothing if there was a mistake. Throws as load_study and study_of_file.
// `id`: the point that is asked for, in the file; it says which study of a union it is.
std::optional<GivenStudy> given_study(const std::string& operand, const CatalogChoice& catalog,
                                      const Streams& streams,
                                      std::optional<PointId> id = std::nullopt);

// Where the file holds another value of the first objective for a point than is computed now (`id`:
// in the study): a line that says so; "" otherwise.
std::string other_value_note(const GivenStudy& source, PointId id);

}  // namespace scalesweep::cli
