#include "analysis/effects/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/effects/factorial.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_combinations = 4'000'000;  // of a factorial: some seconds

struct Factor {
  std::string name;
  std::vector<std::string> levels;
};

struct Indices {
  CompletePart part;
  SobolIndices sobol;
  std::vector<bool> apart;  // by factor: what is asked, each value of which is decomposed alone
  bool any() const { return !part.factorial.values.empty(); }
};

// Factors that take part with two values or more.
std::size_t varying_factors(const Indices& indices) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < indices.apart.size(); ++i) {
    count += !indices.apart[i] && indices.part.levels[i].size() > 1 ? 1U : 0U;
  }
  return count;
}

// An index says what part of all variance is due to a factor. Where no other factor varies that is
// all of it, however much or little it does: a 1 that says nothing of the study.
bool tells(const Indices& indices) {
  return indices.any() && varying_factors(indices) > 1;
}

Indices indices_of(const Factorial& factorial, const std::vector<bool>& apart) {
  Indices result;
  result.part = complete_part(factorial);
  result.apart = apart;
  if (result.any()) {
    result.sobol = sobol_indices_within(result.part.factorial, apart);
  }
  return result;
}

double log_or_nan(double better) {
  return std::isfinite(better) && better > 0.0 ? std::log(better)
                                               : std::numeric_limits<double>::quiet_NaN();
}

// "N12 of the logic node, HBM2 of the memory"; empty where all levels are kept.
std::string left_out_text(const std::vector<Factor>& factors, const CompletePart& part) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<std::string> missing;
    std::size_t next = 0;
    for (std::size_t level = 0; level < factors[i].levels.size(); ++level) {
      if (next < part.levels[i].size() && part.levels[i][next] == level) {
        ++next;
      } else {
        missing.push_back(factors[i].levels[level]);
      }
    }
    if (!missing.empty()) {
      constexpr std::size_t most_listed = 8;
      const std::string values =
          missing.size() <= most_listed
              ? listed(missing)
              : fmt::format("{} of {} values", missing.size(), factors[i].levels.size());
      texts.push_back(fmt::format("{} of the {}", values, words(factors[i].name)));
    }
  }
  return join(texts, "; ");
}

// What the reader should know of the combinations that were decomposed.
std::vector<std::string> notes_of(const std::vector<Factor>& factors, const Factorial& axes,
                                  const Indices& indices) {
  std::vector<std::string> alone;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!indices.apart[i] && indices.part.levels[i].size() > 1) {
      alone.push_back(words(factors[i].name));
    }
  }
  const auto feasible = std::count_if(axes.values.begin(), axes.values.end(),
                                      [](double value) { return !std::isnan(value); });
  std::size_t varying = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    varying += !indices.apart[i] && factors[i].levels.size() > 1 ? 1U : 0U;
  }
  if (varying < 2 || feasible == 0) {
    return {};  // there is no other axis to compare with, and nobody expects it
  }
  const std::string left_out = left_out_text(factors, indices.part);
  if (!tells(indices)) {
    return {fmt::format(
        "effects: too few combinations are feasible to tell which axes matter: {} varies where no "
        "combination is missing (without {})",
        alone.empty() ? "no axis" : alone.front() + " alone", left_out)};
  }
  if (left_out.empty()) {
    return {};
  }
  return {
      fmt::format("effects: over {} of {} feasible combinations, without {}, where others are "
                  "missing or no feasible point is known",
                  with_thousands(static_cast<std::int64_t>(indices.part.factorial.values.size())),
                  with_thousands(feasible), left_out)};
}

EffectRow effect_row(std::size_t name, bool is_field, const Indices& indices, std::size_t factor,
                     std::size_t levels) {
  EffectRow row{name, is_field, indices.part.levels[factor].size()};
  row.left_out = levels - row.levels;
  row.combinations = indices.part.factorial.values.size();
  if (tells(indices) && row.levels > 1) {
    row.first_order = indices.sobol.first_order[factor];
    row.total = indices.sobol.total[factor];
  }
  return row;
}

std::vector<Interaction> interactions_of(const Indices& indices, std::size_t axes) {
  std::vector<Interaction> pairs;
  for (std::size_t i = 0; i < axes; ++i) {
    for (std::size_t j = i + 1; j < axes; ++j) {
      if (indices.apart[i] || indices.apart[j]) {
        continue;
      }
      const bool known =
          tells(indices) && indices.part.levels[i].size() > 1 && indices.part.levels[j].size() > 1;
      pairs.push_back(
          {i, j,
           known ? indices.sobol.second_order[i][j] : std::numeric_limits<double>::quiet_NaN()});
    }
  }
  return pairs;
}

// The axes and one field, whose values are the fastest factor.
Factorial with_field(const Factorial& axes, const FieldBests& field) {
  Factorial factorial{axes.sizes, {}};
  factorial.sizes.push_back(field.values.size());
  factorial.values.reserve(axes.values.size() * field.values.size());
  for (std::size_t cell = 0; cell < axes.values.size(); ++cell) {
    for (const std::vector<double>& better : field.better) {
      factorial.values.push_back(log_or_nan(better[cell]));
    }
  }
  return factorial;
}

}  // namespace

Effects effects_of(const StudyLayout& layout, const Grid& grid, const std::vector<double>& better,
                   const std::vector<FieldBests>& fields) {
  Effects result;
  std::vector<Factor> factors;
  Factorial axes;
  std::vector<bool> apart;
  for (const std::size_t axis : grid.axes()) {
    apart.push_back(is_workload_axis(layout.axes[axis].name));
    factors.push_back({layout.axes[axis].name, layout.axes[axis].labels});
    axes.sizes.push_back(layout.axes[axis].labels.size());
    result.factors.push_back(layout.axes[axis].name);
  }
  for (const FieldBests& field : fields) {
    result.factors.push_back(field.field);
  }
  if (grid.size() > most_combinations) {
    result.notes.push_back(fmt::format("effects: {} combinations are too many to decompose",
                                       with_thousands(static_cast<std::int64_t>(grid.size()))));
    return result;
  }
  result.is_known = true;
  for (const double one : better) {
    axes.values.push_back(log_or_nan(one));
  }
  const Indices indices = indices_of(axes, apart);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!apart[i]) {
      result.rows.push_back(effect_row(i, false, indices, i, factors[i].levels.size()));
    }
  }
  result.interactions = interactions_of(indices, factors.size());
  result.notes = notes_of(factors, axes, indices);
  apart.push_back(false);  // the field
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (grid.size() * fields[i].values.size() > most_combinations) {
      result.notes.push_back("effects: too many combinations with " + fields[i].field);
      continue;
    }
    result.rows.push_back(effect_row(factors.size() + i, true,
                                     indices_of(with_field(axes, fields[i]), apart), factors.size(),
                                     fields[i].values.size()));
  }
  return result;
}

}  // namespace scalesweep::analysis
