// Versions of a program whose sources were read, and what is only of some of them.
#pragma once

#include <span>
#include <string_view>

namespace scalesweep::deploy {

// As tests/programs/tables has it: "core_v0.15.0", "0.22", "main-2026-08-22".
struct Version {
  std::string_view name;
  std::string_view commit = "";  // that was read
};

// Whether a version comes before another one. Of names the part from the first digit on counts, so
// that core_r0.12 comes before core_v0.15; those of a main branch ("main-DATE") come last.
bool is_older(std::string_view version, std::string_view than);

// From one on, and before another one; "" sets no limit.
struct Versions {
  std::string_view since = "";
  std::string_view before = "";

  bool has(std::string_view version) const {
    return (since.empty() || !is_older(version, since)) &&
           (before.empty() || is_older(version, before));
  }
};

constexpr Versions since(std::string_view version) {
  return {version, ""};
}
constexpr Versions before(std::string_view version) {
  return {"", version};
}

// Of versions from the oldest to the newest: the newest where `asked` is ""; the one that it names,
// whole ("core_v0.15.0", "main") or in part ("0.15", "0.15.3" where 0.15 was read); else the last
// one before it where it lies between two numbered ones. Null of others.
const Version* version_named(std::span<const Version> versions, std::string_view asked);

// Whether the name is that version's, in whole or in part.
bool is_called(const Version& version, std::string_view asked);

}  // namespace scalesweep::deploy
