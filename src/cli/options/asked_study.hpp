// The study that a command asks: that of one file, or several as one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/command.hpp"
#include "core/failure.hpp"
#include "core/host/temporary_folder.hpp"

namespace scalesweep::cli {

// FILE ..., which must be given.
void add_study_files(Command& command, std::vector<std::string>& files);

class AskedStudy {
 public:
  // Several are put together in a temporary folder, as `merge --union` does; what is to know of it
  // goes to streams.err. Throws as unite_studies does.
  AskedStudy(const std::vector<std::string>& files, std::size_t threads, const Streams& streams);

  const std::filesystem::path& file() const { return file_; }  // to be read
  // What it is called, and what is made of it after it: the file, or of several "a+b.h5" beside the
  // first, which is not there.
  const std::filesystem::path& name() const { return name_; }
  bool is_of_several() const { return folder_ != nullptr; }

  // Runs `body`; a failure names the study as people know it.
  template <typename Body>
  auto named(Body body) const {
    try {
      return body();
    } catch (const Failure& failure) {
      throw Failure(failure.code(), in_words(failure.what()));
    }
  }

 private:
  std::string in_words(std::string message) const;

  std::unique_ptr<TemporaryFolder> folder_;  // null: of one file
  std::filesystem::path file_;
  std::filesystem::path name_;
};

}  // namespace scalesweep::cli
