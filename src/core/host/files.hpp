// Files as whole texts, and the two steps that make a file survive a power cut.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace scalesweep {

// Throws Failure(no_input) with the reason if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Where the file is or will be: "." for a name alone.
std::filesystem::path parent_folder(const std::filesystem::path& path);

// "quick.h5.d/" and "quick.h5.d" are the same folder.
std::filesystem::path without_slash(const std::filesystem::path& path);

// fsync of a file or directory; throws Failure(io).
void sync_path(const std::filesystem::path& path);

// Writes beside the target, fsyncs, renames over it and fsyncs the directory: the target is either
// as before or complete, whatever stops the machine. Throws Failure(cannot_create or io).
void write_file_durably(const std::filesystem::path& path, std::string_view text);

}  // namespace scalesweep
