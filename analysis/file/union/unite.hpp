// Several finished studies as one: an ordinary study file in which an axis `study` names them, so
// that every reader asks all of them at once without knowing it.
//
//   Union made = unite_studies({"a.h5", "b.h5"}, "c.h5", {});
//
// Point ids of each study lie behind those of the studies before it; the column study_point_id has
// those of its own. FORMAT.md, "A union of studies", says what becomes of everything else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/file/reading.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {

struct UnionOptions {
  ReadingOptions reading = {};
  store::Durability durability = store::Durability::synced;
  bool anonymous = false;  // without names of hosts and folders
};

struct Union {
  std::vector<std::string> names;  // of the studies, on the axis
  std::int64_t points = 0;
  std::int64_t rows = 0;
  std::vector<std::string> notes;  // sentences
};

// Memory does not grow with the rows. Throws Failure(usage) for fewer than two files or one that is
// given twice; as StudyReader does for what is no finished study; Failure(bad_input), naming the
// files, for studies that cannot be one: of other kinds, unions themselves, with columns of one
// name that mean different things; and as write_study does.
Union unite_studies(const std::vector<std::filesystem::path>& files,
                    const std::filesystem::path& output, const UnionOptions& options);

// "a+b" for a.h5 and b.h5: what is made of several is called so; "a+3_more" of more than three.
std::string name_of_several(const std::vector<std::filesystem::path>& files);

}  // namespace scalesweep::analysis
