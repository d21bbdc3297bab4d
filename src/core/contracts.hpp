// Contracts: our own mistakes, never the user's. A broken one throws ContractViolation, which the
// command line reports as an internal error (exit 70). They are checked in dev and sanitizer
// builds (SCALESWEEP_CONTRACTS) and cost nothing elsewhere.
#pragma once

#include <stdexcept>

namespace scalesweep {

struct ContractViolation : std::logic_error {
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] void contract_failed(const char* role, const char* expression, const char* file,
                                  int line);
}  // namespace detail

}  // namespace scalesweep

#ifdef SCALESWEEP_CONTRACTS
#define SCALESWEEP_CONTRACT_(role, condition) \
  ((condition) ? void(0)                      \
               : ::scalesweep::detail::contract_failed(role, #condition, __FILE__, __LINE__))
#else
#define SCALESWEEP_CONTRACT_(role, condition) void(0)
#endif

// What a caller owes, what must hold inside, what a function promises.
#define SCALESWEEP_EXPECT(condition) SCALESWEEP_CONTRACT_("precondition", condition)
#define SCALESWEEP_ASSERT(condition) SCALESWEEP_CONTRACT_("invariant", condition)
#define SCALESWEEP_ENSURE(condition) SCALESWEEP_CONTRACT_("postcondition", condition)
