// SHA-256 by OpenSSL, as 64 lower-case hex digits: identity of specs, catalogs and files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace scalesweep {

std::string sha256(std::string_view bytes);

// The same of what comes piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::string_view bytes);
  std::string digest();  // of all that was added; nothing may be added behind it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalesweep
