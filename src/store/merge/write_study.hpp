// A finished study whose rows are made of those of others, or are those of another one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "store/read/study_file.hpp"
#include "store/texts/anonymous.hpp"

namespace scalesweep::store {

// Rows [first, last) of the file to be, a table of its schema. Asked for all rows in their order,
// some tens of megabytes at a time.
using RowSource = std::function<Table(RowRange rows)>;

struct NewStudy {
  StudyDescription description;
  std::int64_t rows = 0;  // in ascending order of point id
  Counts counts;
};

// The file is there whole or not at all; memory does not grow with its rows. Throws
// Failure(cannot_create) if anything stands at `output` or beside it as the folder of an unfinished
// study, Failure(io) if it cannot be written.
void write_study(const std::filesystem::path& output, const NewStudy& study, const RowSource& rows,
                 Durability durability = Durability::synced, const PassProgress& progress = {});

// The finished study at `input` with these texts in place of its own, as a merge that had them
// would have written it: its chunks are copied as they lie, once their checksums hold. The root
// attributes are all but those that every file gets anew; `created` stays. Throws as write_study
// and the reader do, and Failure(io) where a checksum does not hold.
void copy_study(const std::filesystem::path& input, const std::filesystem::path& output,
                const StudyTexts& texts, Durability durability = Durability::synced,
                const PassProgress& progress = {});

}  // namespace scalesweep::store
