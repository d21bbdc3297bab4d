// All rows and columns of a study in other formats.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/file/reading.hpp"
#include "core/documents/csv_texts.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::publish {

// `name`: of the study file, for what the copy says of itself.
void write_parquet(const store::StudyReader& reader, const std::filesystem::path& path,
                   const std::string& name, const analysis::ReadingOptions& how);

// Returns the file beside it that has the units.
std::filesystem::path write_csv(const store::StudyReader& reader, const std::filesystem::path& path,
                                const std::string& name, const analysis::ReadingOptions& how,
                                CsvTexts texts = CsvTexts::plain);

}  // namespace scalesweep::publish
