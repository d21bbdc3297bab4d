// What comes with scalesweep beside its code: found from wherever the executable or the shared
// library lies that holds this code, so that an installed tree may be moved.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep {

// The executable or shared library that holds this code; empty if the system does not say.
std::filesystem::path own_file();

// Where a file or folder of share/scalesweep may be, the likeliest first: as it is installed from
// the folder of executables and from that of libraries, then in the source tree of the build.
// `in_source` is its path there.
std::vector<std::filesystem::path> places_of(std::string_view name, std::string_view in_source);

// The catalog: `given` if not empty, else $SCALESWEEP_NODES, else the first of places_of("nodes")
// that is there. Throws Failure(no_input) that says where was looked; `option` is how a user names
// one, "--catalog".
std::filesystem::path find_catalog(const std::string& given, std::string_view option);

}  // namespace scalesweep
