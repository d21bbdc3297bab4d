#include "core/contracts.hpp"

#include <fmt/format.h>

namespace scalesweep::detail {

void contract_failed(const char* role, const char* expression, const char* file, int line) {
  throw ContractViolation(
      fmt::format("{} does not hold: {} ({}:{})", role, expression, file, line));
}

}  // namespace scalesweep::detail
