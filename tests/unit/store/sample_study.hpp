// A small study with a column of every type, whose values are a function of the id.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/read/study_file.hpp"

namespace scalesweep::store::test {

using Keep = std::function<bool(PointId)>;

bool keep_all(PointId id);
bool keep_some(PointId id);  // about two thirds, irregularly

StudyDescription sample_study(std::int64_t points, std::int64_t chunk_rows);
Table sample_rows(const StudyDescription& study, IdRange ids, const Keep& keep);
Counts sample_counts(IdRange ids, const Keep& keep);

Segment write_sample(const std::filesystem::path& output, const StudyDescription& study,
                     IdRange ids, const Keep& keep);

// Prepares, writes segments between consecutive bounds (0 and points included), finishes.
void write_study(const std::filesystem::path& output, const StudyDescription& study,
                 const std::vector<std::int64_t>& bounds, const Keep& keep);

// Every value of both tables, by the type of the schema.
void expect_equal(const Table& a, const Table& b, const Schema& schema);

struct CommandResult {
  int exit = 0;
  std::string output;  // stdout and stderr
};
CommandResult run_command(const std::string& command);
bool has_command(const std::string& name);

std::string file_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);
// How long a sealed file is without its seal, as the seal says.
std::size_t unsealed_size(const std::string& bytes);
// Names of what is in a folder, sorted.
std::vector<std::string> folder_names(const std::filesystem::path& folder);

}  // namespace scalesweep::store::test
