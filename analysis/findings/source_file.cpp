#include "analysis/findings/parts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/failure.hpp"
#include "core/hash.hpp"

namespace scalesweep::analysis {

std::string file_sha256(const std::filesystem::path& file, const ReadingOptions& how) {
  constexpr std::size_t piece = 1 << 20;
  std::error_code unknown;
  const std::uintmax_t bytes_of_file = std::filesystem::file_size(file, unknown);
  Pass pass(how, "taking the checksum", unknown ? 1 : bytes_of_file / piece + 1);
  std::ifstream in(file, std::ios::binary);
  std::vector<char> bytes(piece);
  Sha256 hash;
  while (in) {
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    hash.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
    pass.step();
  }
  if (!in.eof()) {
    throw Failure(ExitCode::no_input,
                  fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  }
  return hash.digest();
}

}  // namespace scalesweep::analysis
