// Tests as data: a file that is changed, a command, and what it says. README.md has the format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalesweep::cases {

// Of a file of a case: text that is replaced where it stands first, or that is added at the end.
struct Edit {
  std::string file;  // of the case; new where there is none of this name
  std::optional<std::string> from;
  std::string to;
};

struct TextCase {
  std::string title;
  std::vector<Edit> edits;
  std::string command;  // "" where it is that of the file
  std::vector<std::string> said;
  int code = 0;
  std::size_t first_line = 0;  // in the file of cases: its title
  std::size_t said_line = 0;   // where `said` begins
  std::size_t end_line = 0;    // behind it
};

struct CaseFile {
  std::filesystem::path path;
  std::vector<std::string> lines;  // as they stand there
  // Files that each case begins with, by the names that they have there, and what is run.
  std::vector<std::pair<std::string, std::filesystem::path>> bases;
  std::string command;
  std::vector<TextCase> cases;
};

// Throws std::runtime_error with the line of a mistake.
CaseFile read_cases(const std::filesystem::path& path);

struct Seen {
  std::vector<std::string> said;  // on both streams, errors first
  int code = 0;
};
// In a folder of its own, whose name is left out of what is said.
Seen run_case(const CaseFile& file, const TextCase& one);

// The file with what was seen in the place of what was expected.
std::string with_seen(const CaseFile& file, const std::vector<Seen>& seen);

}  // namespace scalesweep::cases
