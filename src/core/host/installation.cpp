#include "core/host/installation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>

#include "core/failure.hpp"

namespace scalesweep {

namespace fs = std::filesystem;

namespace {

constexpr char here = 0;  // an address in the file that holds this code

fs::path named_folder(std::string_view said_as, const std::string& folder, std::string_view way) {
  if (!fs::is_directory(folder)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{}{}: no such folder; {}", said_as, folder, way));
  }
  return folder;
}

}  // namespace

fs::path own_file() {
  Dl_info info = {};
  void* extra = nullptr;
  if (::dladdr1(&here, &info, &extra, RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  const auto* const map = static_cast<const link_map*>(extra);
  std::error_code error;
  // Of the executable itself there is no name, or one that depends on how it was called.
  const bool is_executable = map == nullptr || map->l_name == nullptr || *map->l_name == '\0';
  const fs::path file =
      is_executable ? fs::read_symlink("/proc/self/exe", error) : fs::canonical(map->l_name, error);
  return error ? fs::path() : file;
}

std::vector<fs::path> places_of(std::string_view name, std::string_view in_source) {
  std::vector<fs::path> places;
  const fs::path folder = own_file().parent_path();
  for (const char* const data : {SCALESWEEP_DATA_FROM_BIN, SCALESWEEP_DATA_FROM_LIB}) {
    const fs::path place = (folder / data / name).lexically_normal();
    if (places.empty() || places.back() != place) {
      places.push_back(place);
    }
  }
  places.push_back(fs::path(SCALESWEEP_SOURCE_FOLDER) / in_source);
  return places;
}

fs::path find_catalog(const std::string& given, std::string_view option) {
  if (!given.empty()) {
    return named_folder(fmt::format("{} ", option), given,
                        "give one like the nodes/ that comes with scalesweep");
  }
  if (const char* variable = std::getenv("SCALESWEEP_NODES"); variable && *variable != '\0') {
    return named_folder("SCALESWEEP_NODES=", variable,
                        "set it to one like the nodes/ that comes with scalesweep, or unset it");
  }
  std::string looked;
  for (const fs::path& place : places_of("nodes", "nodes")) {
    if (fs::is_directory(place)) {
      return place;
    }
    looked += fmt::format("{}{}", looked.empty() ? "" : " and ", place.string());
  }
  throw Failure(ExitCode::no_input,
                fmt::format("no catalog found: looked at {}; name one with {} or SCALESWEEP_NODES",
                            looked, option));
}

}  // namespace scalesweep
