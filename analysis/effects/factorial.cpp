#include "analysis/effects/factorial.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/contracts.hpp"

namespace scalesweep::analysis {
namespace {

// The product of the sizes behind each factor: how far its next level lies.
std::vector<std::size_t> strides_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  return strides;
}

std::size_t count_of(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

// Variance of the means over everything but the given factors.
double variance_of_means(const Factorial& factorial, double mean,
                         const std::vector<std::size_t>& factors) {
  const std::vector<std::size_t> strides = strides_of(factorial.sizes);
  std::size_t groups = 1;
  for (const std::size_t factor : factors) {
    groups *= factorial.sizes[factor];
  }
  std::vector<double> sums(groups, 0.0);
  for (std::size_t i = 0; i < factorial.values.size(); ++i) {
    std::size_t group = 0;
    for (const std::size_t factor : factors) {
      const std::size_t level = i / strides[factor] % factorial.sizes[factor];
      group = group * factorial.sizes[factor] + level;
    }
    sums[group] += factorial.values[i] - mean;
  }
  const double per_group =
      static_cast<double>(factorial.values.size()) / static_cast<double>(groups);
  double variance = 0.0;
  for (const double sum : sums) {
    variance += sum / per_group * (sum / per_group);
  }
  return variance / static_cast<double>(groups);
}

std::vector<std::size_t> others(std::size_t factors, std::size_t without) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < factors; ++i) {
    if (i != without) {
      rest.push_back(i);
    }
  }
  return rest;
}

// Rounding leaves a trace of variance where there is none.
constexpr double no_variance = 1e-24;

struct Level {
  std::size_t factor = 0;
  std::size_t level = 0;
};

// Of which level the largest part is missing; `kept` by factor and level.
Level emptiest(const Factorial& factorial, const std::vector<std::size_t>& strides,
               const std::vector<std::vector<bool>>& kept, bool& any_missing) {
  std::vector<std::vector<std::size_t>> missing;
  std::vector<std::size_t> left;
  for (const std::vector<bool>& levels : kept) {
    missing.emplace_back(levels.size(), 0);
    left.push_back(static_cast<std::size_t>(std::count(levels.begin(), levels.end(), true)));
  }
  any_missing = false;
  for (std::size_t i = 0; i < factorial.values.size(); ++i) {
    if (!std::isnan(factorial.values[i])) {
      continue;
    }
    const auto level_of = [&](std::size_t f) { return i / strides[f] % factorial.sizes[f]; };
    bool inside = true;
    for (std::size_t f = 0; f < kept.size(); ++f) {
      inside = inside && kept[f][level_of(f)];
    }
    for (std::size_t f = 0; inside && f < kept.size(); ++f) {
      ++missing[f][level_of(f)];
    }
    any_missing = any_missing || inside;
  }
  Level worst;
  double worst_part = -1.0;
  const auto all = static_cast<double>(count_of(left));
  for (std::size_t f = 0; f < kept.size(); ++f) {
    for (std::size_t level = 0; level < kept[f].size(); ++level) {
      // Of the combinations of this level, all over the levels of the factor.
      const double part =
          static_cast<double>(missing[f][level]) * static_cast<double>(left[f]) / all;
      if (kept[f][level] && part >= worst_part && missing[f][level] > 0) {
        worst_part = part;
        worst = {f, level};
      }
    }
  }
  return worst;
}

}  // namespace

SobolIndices sobol_indices(const Factorial& factorial) {
  const std::size_t factors = factorial.sizes.size();
  SCALESWEEP_EXPECT(factorial.values.size() == count_of(factorial.sizes));
  SobolIndices result;
  result.first_order.assign(factors, 0.0);
  result.total.assign(factors, 0.0);
  result.second_order.assign(factors, std::vector<double>(factors, 0.0));
  const auto count = static_cast<double>(factorial.values.size());
  for (const double value : factorial.values) {
    result.mean += value / count;
  }
  for (const double value : factorial.values) {
    result.variance += (value - result.mean) * (value - result.mean) / count;
  }
  const double scale = std::max(1.0, result.mean * result.mean);
  if (!(result.variance > no_variance * scale)) {
    result.variance = 0.0;
    return result;
  }
  const auto part = [&](const std::vector<std::size_t>& some) {
    return variance_of_means(factorial, result.mean, some) / result.variance;
  };
  for (std::size_t i = 0; i < factors; ++i) {
    result.first_order[i] = part({i});
    result.total[i] = std::max(0.0, 1.0 - part(others(factors, i)));
  }
  for (std::size_t i = 0; i < factors; ++i) {
    for (std::size_t j = i + 1; j < factors; ++j) {
      const double together = part({i, j}) - result.first_order[i] - result.first_order[j];
      result.second_order[i][j] = result.second_order[j][i] = std::max(0.0, together);
    }
  }
  return result;
}

SobolIndices sobol_indices_within(const Factorial& factorial, const std::vector<bool>& apart) {
  const std::size_t factors = factorial.sizes.size();
  SCALESWEEP_EXPECT(apart.size() == factors);
  const std::vector<std::size_t> strides = strides_of(factorial.sizes);
  Factorial within;
  std::vector<std::size_t> places;  // of its factors
  std::size_t questions = 1;
  for (std::size_t i = 0; i < factors; ++i) {
    if (apart[i]) {
      questions *= factorial.sizes[i];
    } else {
      within.sizes.push_back(factorial.sizes[i]);
      places.push_back(i);
    }
  }
  std::vector<std::vector<double>> values(questions);
  for (std::size_t i = 0; i < factorial.values.size(); ++i) {
    std::size_t question = 0;
    for (std::size_t f = 0; f < factors; ++f) {
      question =
          apart[f] ? question * factorial.sizes[f] + i / strides[f] % factorial.sizes[f] : question;
    }
    values[question].push_back(factorial.values[i]);
  }
  SobolIndices all;
  all.first_order.assign(factors, 0.0);
  all.total.assign(factors, 0.0);
  all.second_order.assign(factors, std::vector<double>(factors, 0.0));
  for (std::vector<double>& of_question : values) {
    within.values = std::move(of_question);
    const SobolIndices one = sobol_indices(within);
    all.mean += one.mean / static_cast<double>(questions);
    all.variance += one.variance / static_cast<double>(questions);
    const double weight = one.variance / static_cast<double>(questions);
    for (std::size_t a = 0; a < places.size(); ++a) {
      all.first_order[places[a]] += weight * one.first_order[a];
      all.total[places[a]] += weight * one.total[a];
      for (std::size_t b = 0; b < places.size(); ++b) {
        all.second_order[places[a]][places[b]] += weight * one.second_order[a][b];
      }
    }
  }
  if (all.variance > 0.0) {
    for (std::size_t a = 0; a < factors; ++a) {
      all.first_order[a] /= all.variance;
      all.total[a] /= all.variance;
      for (double& part : all.second_order[a]) {
        part /= all.variance;
      }
    }
  }
  return all;
}

CompletePart complete_part(const Factorial& factorial) {
  const std::vector<std::size_t> strides = strides_of(factorial.sizes);
  std::vector<std::vector<bool>> kept;
  for (const std::size_t size : factorial.sizes) {
    kept.emplace_back(size, true);
  }
  bool any_missing = true;
  while (any_missing) {
    const Level level = emptiest(factorial, strides, kept, any_missing);
    if (any_missing) {
      kept[level.factor][level.level] = false;
    }
  }
  CompletePart part;
  for (const std::vector<bool>& levels : kept) {
    part.levels.emplace_back();
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (levels[level]) {
        part.levels.back().push_back(level);
      }
    }
    part.factorial.sizes.push_back(part.levels.back().size());
  }
  for (std::size_t i = 0; i < factorial.values.size(); ++i) {
    bool inside = true;
    for (std::size_t f = 0; f < kept.size(); ++f) {
      inside = inside && kept[f][i / strides[f] % factorial.sizes[f]];
    }
    if (inside) {
      part.factorial.values.push_back(factorial.values[i]);
    }
  }
  return part;
}

}  // namespace scalesweep::analysis
