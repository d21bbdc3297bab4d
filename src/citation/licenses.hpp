// Licences by their names in the SPDX licence list.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scalesweep::citation {

std::span<const std::string_view> license_names();

// "LicenseRef-NAME", as SPDX writes one that is not listed.
bool is_own_license(std::string_view name);

// What is wrong with a name, with names that are near it; "" for one that is listed or an own one.
std::string license_problem(const std::string& name);

// Where the text of a listed one is; "" for an own one or none.
std::string license_url(const std::string& name);

}  // namespace scalesweep::citation
