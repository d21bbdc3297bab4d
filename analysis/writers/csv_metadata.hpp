// What a CSV file of rows does not say: units, types and meanings of its columns, after "Metadata
// Vocabulary for Tabular Data" of the W3C (CSV on the Web, 2015).
#pragma once

#include <filesystem>
#include <string>

#include "analysis/query/options.hpp"
#include "analysis/writers/output.hpp"

namespace scalesweep::analysis {

// NAME.csv-metadata.json beside NAME.csv, where readers look for it.
std::filesystem::path csv_metadata_file(const std::filesystem::path& csv);

// The document for the file of that name.
std::string csv_metadata(const std::string& csv_name, const QueryPlan& plan,
                         const QuerySource& source);

}  // namespace scalesweep::analysis
