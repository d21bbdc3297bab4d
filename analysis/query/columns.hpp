// What a study has to ask for: its columns in words, for `query FILE --columns`.
#pragma once

#include <string>
#include <vector>

#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct ColumnWords {
  std::string name;
  std::string units;   // SI; "" for names and plain numbers
  std::string values;  // of names and axes: "N12, N10, ..."; "" for what is computed
  std::string description;
};

// In the order of the file, axes first.
std::vector<ColumnWords> column_words(const store::StudyReader& reader);

// One line each, cut to `width` columns of a terminal (0: not at all).
std::string columns_text(const std::vector<ColumnWords>& columns, std::size_t width);
std::string columns_csv(const std::vector<ColumnWords>& columns);
std::string columns_json(const std::vector<ColumnWords>& columns);

}  // namespace scalesweep::analysis
