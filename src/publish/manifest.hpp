// Every file of a published folder with its SHA-256, in the form that `sha256sum -c` reads.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace scalesweep::publish {

inline constexpr const char* manifest_name = "manifest-sha256.txt";

// Hashes by name, with / between folders.
using Manifest = std::map<std::string, std::string>;

std::string manifest_text(const Manifest& manifest);

// Throws Failure(bad_input) that names the line where it is none.
Manifest parse_manifest(const std::filesystem::path& file, const std::string& text);

// Of one file. Throws Failure(no_input or io) if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

// Names of all files below a folder but the manifest, in order; what is no plain file goes to
// `others`.
std::vector<std::string> files_in(const std::filesystem::path& folder,
                                  std::vector<std::string>& others);

// What is another than the manifest says, a sentence for each file. Files are read by so many
// threads, 0 one for every core.
std::vector<std::string> compare_with(const std::filesystem::path& folder, const Manifest& manifest,
                                      std::size_t threads);

}  // namespace scalesweep::publish
