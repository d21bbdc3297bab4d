#include "reduce/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/contracts.hpp"

namespace scalesweep::reduce {

std::vector<std::size_t> best_per_group(std::span<const double> objective,
                                        std::span<const std::int64_t> group,
                                        std::span<const std::int64_t> ids, std::size_t k) {
  SCALESWEEP_EXPECT(objective.size() == group.size() && objective.size() == ids.size());
  SCALESWEEP_EXPECT(k >= 1);
  std::vector<std::size_t> order;
  order.reserve(objective.size());
  for (std::size_t row = 0; row < objective.size(); ++row) {
    if (!std::isnan(objective[row])) {
      order.push_back(row);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (group[a] != group[b]) {
      return group[a] < group[b];
    }
    return objective[a] != objective[b] ? objective[a] < objective[b] : ids[a] < ids[b];
  });
  std::vector<std::size_t> kept;
  std::size_t in_group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    in_group = i > 0 && group[order[i]] == group[order[i - 1]] ? in_group + 1 : 0;
    if (in_group < k) {
      kept.push_back(order[i]);
    }
  }
  std::sort(kept.begin(), kept.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return kept;
}

std::vector<std::int64_t> group_numbers(std::span<const std::span<const std::int64_t>> keys,
                                        std::size_t rows) {
  std::vector<std::int64_t> numbers(rows, 0);
  // Folds one key after another into the number: (number so far, key) -> next number.
  for (const std::span<const std::int64_t> key : keys) {
    SCALESWEEP_EXPECT(key.size() == rows);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> known;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto next = static_cast<std::int64_t>(known.size());
      numbers[row] = known.try_emplace({numbers[row], key[row]}, next).first->second;
    }
  }
  return numbers;
}

}  // namespace scalesweep::reduce
