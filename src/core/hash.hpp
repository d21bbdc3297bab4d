// SHA-256 by OpenSSL, as 64 lower-case hex digits: identity of specs, catalogs and files.
#pragma once

#include <string>
#include <string_view>

namespace scalesweep {

std::string sha256(std::string_view bytes);

}  // namespace scalesweep
