// Files as whole texts, and the two steps that make a file survive a power cut.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace scalesweep {

// Throws Failure(no_input) with the reason if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// To be read piece by piece. Throws Failure(no_input) likewise.
std::ifstream open_to_read(const std::filesystem::path& path);

// Where the file is or will be: "." for a name alone.
std::filesystem::path parent_folder(const std::filesystem::path& path);

// "quick.h5.d/" and "quick.h5.d" are the same folder.
std::filesystem::path without_slash(const std::filesystem::path& path);

// fsync of a file or directory; throws Failure(io).
void sync_path(const std::filesystem::path& path);

// Written piece by piece beside the target, which is as before or complete, whatever stops the
// machine: it becomes the target by commit(), and is removed without. All throw
// Failure(cannot_create or io).
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::ofstream out_;
};

// Writes beside the target, fsyncs, renames over it and fsyncs the directory: the target is either
// as before or complete, whatever stops the machine. Throws Failure(cannot_create or io).
void write_file_durably(const std::filesystem::path& path, std::string_view text);

}  // namespace scalesweep
