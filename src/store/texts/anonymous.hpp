// The texts of a study without what tells who computed it, on which machine and in which folders.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Texts by name: those of /provenance and the attributes of the root.
struct StudyTexts {
  std::map<std::string, std::string> provenance;
  std::map<std::string, std::string> root_attributes;

  bool operator==(const StudyTexts&) const = default;
};

// FORMAT.md, "Without names of machines", says what is left out or shortened: host, environment and
// job are, command lines and the history have the names of files without folders, and so have
// absolute paths in the spec. Of a union also the texts of its parts.
StudyTexts anonymous(StudyTexts texts);
// The same of what a file is made of.
void make_anonymous(StudyDescription& study);

// The words of a command line, paths among them by their last name alone.
std::string without_folders(std::string_view line);
// A text in which absolute paths, and those below ~, are their last names.
std::string without_absolute_paths(std::string_view text);

// Where texts that a person wrote still have a word, as the name of the host: "title",
// "/provenance/spec, line 3".
std::vector<std::string> places_of(std::string_view word, const StudyTexts& texts);

}  // namespace scalesweep::store
