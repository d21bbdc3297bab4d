// What is wrong with a file that should be a study, and the way out, in words for people. Private
// to src/store.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/failure.hpp"
#include "store/hdf5/hdf5_error.hpp"

namespace scalesweep::store {

struct FileProblem {
  std::string what;     // "it is empty"
  std::string way_out;  // "name the study itself, quick.h5"

  bool empty() const { return what.empty(); }
};

// As far as it shows from outside, without HDF5: it is a folder, may not be read, is empty, no HDF5
// file, or shorter than its first bytes say. Empty where nothing is wrong so far.
FileProblem problem_of(const std::filesystem::path& path);

// A file of HDF5 whose root attribute `format` ("" where it has none) is not that of a study.
FileProblem problem_of_format(const std::string& format);

// What helps where bytes are missing or others than they were.
inline constexpr const char* damaged_way_out =
    "copy it again, or remove it and run the study again";

// What stands at NAME.h5: true: a file; false: nothing, but the folder NAME.h5.d of a study that is
// not finished. Throws Failure(no_input or bad_input) in words for people where it is neither.
bool is_finished_file(const std::filesystem::path& output);

// "quick.h5: it is empty; copy it again, or ...": what has no way out of its own is damage.
std::string study_problem_text(const std::filesystem::path& path, const h5::Hdf5Error& error);

// `code`, but where memory was short: that is no fault of the file.
ExitCode study_problem_code(const h5::Hdf5Error& error, ExitCode code);

// Runs `body`, which reads a study; an Hdf5Error becomes a Failure of study_problem_code and
// study_problem_text.
template <typename Body>
auto with_study(const std::filesystem::path& path, ExitCode code, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const h5::Hdf5Error& error) {
    throw Failure(study_problem_code(error, code), study_problem_text(path, error));
  }
}

}  // namespace scalesweep::store
