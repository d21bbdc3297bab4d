#include "deploy/parts/versions.hpp"

#include <algorithm>

#include "workload/stacks/versions.hpp"

namespace scalesweep::deploy {
namespace {

constexpr std::string_view main_branch = "main";

bool is_of_main(std::string_view version) {
  return version.starts_with(main_branch);
}

// "core_v0.15.0": 0.15.0.
std::string_view numbers_of(std::string_view version) {
  const std::size_t first = version.find_first_of("0123456789");
  return first == std::string_view::npos ? "" : version.substr(first);
}

// "0.15" of "0.15.0", and of itself; not of "0.150".
bool begins(std::string_view version, std::string_view with) {
  return version.starts_with(with) && (version.size() == with.size() ||
                                       version[with.size()] == '.' || version[with.size()] == '-');
}

bool is_number(std::string_view asked) {
  return !asked.empty() && !is_of_main(asked) &&
         asked.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

bool is_older(std::string_view version, std::string_view than) {
  if (is_of_main(version) != is_of_main(than)) {
    return is_of_main(than);
  }
  return workload::is_newer(numbers_of(than), numbers_of(version));
}

bool is_called(const Version& version, std::string_view asked) {
  if (is_of_main(version.name) || is_of_main(asked)) {
    return begins(version.name, asked);
  }
  const std::string_view own = numbers_of(version.name);
  const std::string_view other = numbers_of(asked);
  return !other.empty() && (begins(own, other) || begins(other, own));
}

const Version* version_named(std::span<const Version> versions, std::string_view asked) {
  if (asked.empty()) {
    return &versions.back();
  }
  // The newest of those that a part of a name calls: "0.5" where 0.5.3 and 0.5.6 were read.
  const auto called = std::find_if(versions.rbegin(), versions.rend(),
                                   [&](const Version& one) { return is_called(one, asked); });
  if (called != versions.rend()) {
    return &*called;
  }
  // A main branch says of no release that it is older.
  const auto above = std::find_if(versions.begin(), versions.end(), [&](const Version& one) {
    return !is_of_main(one.name) && is_older(asked, one.name);
  });
  const bool is_between = is_number(asked) && above != versions.begin() && above != versions.end();
  return is_between ? &*std::prev(above) : nullptr;
}

}  // namespace scalesweep::deploy
