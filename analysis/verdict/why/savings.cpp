#include "analysis/verdict/why/savings.hpp"

#include <algorithm>

namespace scalesweep::analysis {

void add_savings(const SavingsOf& savings_of, Verdicts& verdicts) {
  const std::size_t count = std::min(verdicts.answers.size(), most_full_answers);
  for (std::size_t i = 0; savings_of && i < count; ++i) {
    Verdict& verdict = verdicts.answers[i];
    if (!verdict.is_answered()) {
      continue;
    }
    for (const ResourceSaving& saving : savings_of(verdict.taken.id)) {
      for (Limit& limit : verdict.limits) {
        if (limit.resource == saving.resource) {
          limit.gain_10 = saving.ten_percent;
          limit.without_limit = saving.without_limit;
        }
      }
    }
  }
}

}  // namespace scalesweep::analysis
