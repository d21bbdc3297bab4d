#include "core/hash.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace scalesweep {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace scalesweep
