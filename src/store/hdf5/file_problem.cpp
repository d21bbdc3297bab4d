#include "store/hdf5/file_problem.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "core/documents/shell.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "store/hdf5/names.hpp"
#include "store/seal/descriptor_bytes.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_studies_are = "a study is the file that 'scalesweep run -o' wrote";
constexpr const char* for_permission = "make it readable (chmod), or ask who owns it";

// Why the system refuses it; empty if it does not.
std::string refused(const fs::path& path, int access) {
  return ::access(path.c_str(), access) == 0
             ? ""
             : fmt::format("it cannot be read: {}", std::generic_category().message(errno));
}

void expect_access(const fs::path& path, int access) {
  if (const std::string why = refused(path, access); !why.empty()) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{}: {}; {}", path.string(), why, for_permission));
  }
}

FileProblem problem_of_folder(const fs::path& path) {
  const std::string name = without_slash(path).string();
  std::error_code code;
  const std::string_view ending = segments_ending;
  if (name.ends_with(ending) && fs::exists(path / description_name, code)) {
    return {"it is the folder in which a study is computed",
            fmt::format("name the study itself, {}", name.substr(0, name.size() - ending.size()))};
  }
  return {"it is a folder, not a file", what_studies_are};
}

FileProblem problem_of_bytes(const fs::path& path, std::span<const char> start) {
  if (path.extension() == ".toml") {
    return {"it is a spec, not a study",
            fmt::format("'scalesweep run {} -o OUT.h5' makes a study of it",
                        shell_word(path.string()))};
  }
  if (path.extension() == ".partial") {
    return {"it is a file that is being written, or was not written to its end",
            fmt::format("name the study itself, {}", fs::path(path).replace_extension().string())};
  }
  const bool only_zeros = std::all_of(start.begin(), start.end(), [](auto b) { return b == 0; });
  if (only_zeros) {
    return {"it begins with zeros: it was not written to its end", damaged_way_out};
  }
  return {"it is not an HDF5 file", what_studies_are};
}

// Where the file ends by its superblock ("HDF5 File Format Specification", II.A); nothing where it
// has addresses of another size than any file of ours.
std::optional<std::uint64_t> end_of_file(std::span<const char> start) {
  constexpr std::size_t version_at = 8;
  constexpr char address_bytes = 8;
  struct Places {
    std::size_t size;  // of addresses
    std::size_t end;
  };
  constexpr std::array<Places, 4> by_version = {{{13, 40}, {13, 44}, {9, 28}, {9, 28}}};
  const auto version = static_cast<unsigned char>(start[version_at]);
  if (version >= by_version.size() || start[by_version[version].size] != address_bytes) {
    return std::nullopt;
  }
  return word_at(start, by_version[version].end);
}

FileProblem problem_of_contents(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t superblock_bytes = 64;
  std::array<char, superblock_bytes> start{};
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return {fmt::format("it cannot be opened: {}", std::generic_category().message(errno)),
            "the file itself may be as it was"};
  }
  in.read(start.data(), start.size());
  const auto present = static_cast<std::size_t>(in.gcount());
  if (present == 0) {
    return {"it is empty", damaged_way_out};
  }
  if (!std::equal(signature.begin(), signature.end(), start.begin())) {
    // With a block of another program in front it may be HDF5 all the same.
    return H5Fis_hdf5(path.c_str()) > 0 ? FileProblem{}
                                        : problem_of_bytes(path, std::span(start).first(present));
  }
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(path, code);
  if (present < superblock_bytes) {
    return {fmt::format("it is cut short: only {} bytes are there", bytes), damaged_way_out};
  }
  const auto end = end_of_file(start);
  if (!code && end && bytes < *end) {
    return {fmt::format("it is cut short: {} of its {} bytes are there",
                        with_thousands(static_cast<std::int64_t>(bytes)),
                        with_thousands(static_cast<std::int64_t>(*end))),
            damaged_way_out};
  }
  return {};
}

}  // namespace

FileProblem problem_of(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::none) {
    return {fmt::format("it cannot be looked at: {}", code.message()), for_permission};
  }
  if (status.type() == fs::file_type::not_found) {
    return fs::is_symlink(fs::symlink_status(path, code))
               ? FileProblem{"it is a symbolic link to nothing", "put there what it pointed to"}
               : FileProblem{"there is no such file", what_studies_are};
  }
  if (fs::is_directory(status)) {
    return problem_of_folder(path);
  }
  if (!fs::is_regular_file(status)) {
    return {"it is not a file", what_studies_are};
  }
  if (const std::string why = refused(path, R_OK); !why.empty()) {
    return {why, for_permission};
  }
  return problem_of_contents(path);
}

FileProblem problem_of_format(const std::string& format) {
  if (format == segment_format || format == running_format) {
    return {"it is a part of a study that is computed in pieces",
            "name the study itself, NAME.h5 beside the folder NAME.h5.d"};
  }
  if (format.starts_with("scalesweep-")) {
    return {fmt::format("it is a file of kind {}, not a study", format),
            "name the study that it was made of"};
  }
  return {"it is an HDF5 file, but not a study of scalesweep", what_studies_are};
}

bool is_finished_file(const fs::path& output) {
  std::error_code code;
  const fs::file_status status = fs::status(output, code);
  if (fs::is_regular_file(status)) {
    expect_access(output, R_OK);
    return true;
  }
  const fs::path folder = segments_folder(output);
  if (status.type() == fs::file_type::not_found && fs::is_directory(folder, code)) {
    expect_access(folder, R_OK | X_OK);
    if (!fs::exists(folder / description_name, code) && !fs::exists(folder / template_name, code)) {
      throw Failure(
          ExitCode::no_input,
          fmt::format("{}: no study has begun in it yet: it has no {}; a run that is just "
                      "starting, or 'scalesweep run SPEC -o {}', begins one",
                      folder.string(), description_name, shell_word(output.string())));
    }
    return false;
  }
  const bool nothing = !fs::exists(fs::symlink_status(output, code));
  if (nothing && status.type() == fs::file_type::not_found) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{}: there is no such file, nor a folder {} of a study that is not "
                              "finished",
                              output.string(), folder.filename().string()));
  }
  const FileProblem problem = problem_of(output);
  throw Failure(nothing ? ExitCode::no_input : ExitCode::bad_input,
                fmt::format("{}: {}; {}", output.string(), problem.what, problem.way_out));
}

ExitCode study_problem_code(const h5::Hdf5Error& error, ExitCode code) {
  return error.way_out() == h5::for_memory ? ExitCode::io : code;
}

std::string study_problem_text(const fs::path& path, const h5::Hdf5Error& error) {
  return error.way_out().empty()
             ? fmt::format("{}: it is damaged ({}); {}", path.string(), error.what(),
                           damaged_way_out)
             : fmt::format("{}: {}; {}", path.string(), error.what(), error.way_out());
}

}  // namespace scalesweep::store
