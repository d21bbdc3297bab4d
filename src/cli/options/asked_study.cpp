#include "cli/options/asked_study.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "analysis/file/union/unite.hpp"
#include "cli/output/reading_line.hpp"

namespace scalesweep::cli {

void add_study_files(Command& command, std::vector<std::string>& files) {
  command.operand("file", files, "FILE...",
                  "A study, finished or not; several finished ones as one", "the study",
                  command.name() + " FILE");
}

AskedStudy::AskedStudy(const std::vector<std::string>& files, std::size_t threads,
                       const Streams& streams)
    : file_(files.front()), name_(files.front()) {
  if (files.size() == 1) {
    return;
  }
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  const std::string name = analysis::name_of_several(paths) + ".h5";
  folder_ = std::make_unique<TemporaryFolder>();
  file_ = *folder_ / name;
  name_ = paths.front().parent_path() / name;
  ReadingLine reading(streams);
  const analysis::Union made = analysis::unite_studies(
      paths, file_, {{threads, reading.progress()}, store::Durability::scratch});
  reading.end();
  for (const std::string& note : made.notes) {
    fmt::print(streams.err, "note     {}\n", note);
  }
}

std::string AskedStudy::in_words(std::string message) const {
  const std::string path = file_.string();
  for (std::size_t at = message.find(path); at != std::string::npos;
       at = message.find(path, at + name_.string().size())) {
    message.replace(at, path.size(), name_.string());
  }
  return message;
}

}  // namespace scalesweep::cli
