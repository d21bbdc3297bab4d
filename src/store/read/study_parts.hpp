// The studies that a union of several was made of (FORMAT.md, "A union of studies"): which of its
// points are theirs, and the texts that each had.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_range.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::store {

using Texts = std::map<std::string, std::string>;

struct StudyPart {
  std::string name;  // on the axis
  std::string file;  // that it was read from
  IdRange ids;       // of the union; its own are those less ids.first
  std::string identity;
  Texts identity_parts;
  Texts root_attributes;
  Texts provenance;

  PointId own_id(PointId id) const { return id - ids.first; }
};

// In order of their ids; none where the file is no union. Throws Failure(bad_input) if its texts
// are damaged.
std::vector<StudyPart> parts_of(const StudyReader& reader);

// The one that has the point; nothing if none has.
std::optional<StudyPart> part_with(const std::vector<StudyPart>& parts, PointId id);

// "a by 1a2b3c4d, b by 5e6f7a8b" of parts that different versions of the estimator computed: the
// first digits of the hash of each; "" where one did.
std::string estimators_text(const std::vector<StudyPart>& parts);

// What a union says of its parts: texts that all have alike once, under their own names, others
// under names that begin with "study_<number>_".
Texts joined_provenance(const std::vector<StudyPart>& parts);
Texts joined_identity_parts(const std::vector<StudyPart>& parts);

}  // namespace scalesweep::store
