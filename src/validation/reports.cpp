#include "validation/reports.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/text.hpp"

namespace scalesweep::validation {
namespace {

bool is_compared(const CaseRow& row) {
  return row.error().has_value();
}

// Rows with the same key, in the order in which the keys first occur.
template <typename Key>
std::vector<std::vector<const CaseRow*>> grouped(const std::vector<const CaseRow*>& rows,
                                                 Key key_of) {
  std::map<decltype(key_of(*rows.front())), std::size_t> known;
  std::vector<std::vector<const CaseRow*>> result;
  for (const CaseRow* row : rows) {
    const auto [place, is_new] = known.try_emplace(key_of(*row), result.size());
    if (is_new) {
      result.emplace_back();
    }
    result[place->second].push_back(row);
  }
  return result;
}

// Numbers before words and by size; words by letter.
bool cell_less(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& cell) {
    double value = std::numeric_limits<double>::infinity();
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
  };
  return std::pair(number(a), a) < std::pair(number(b), b);
}

// How much more the best of the first `count` candidates takes than the best of all. The candidates
// stand in the order of the model.
double regret(const std::vector<const CaseRow*>& candidates, std::size_t count) {
  double chosen = std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double token_s = *candidates[i]->measured / candidates[i]->tokens;
    best = std::min(best, token_s);
    chosen = i < count ? std::min(chosen, token_s) : chosen;
  }
  return chosen / best - 1.0;
}

}  // namespace

std::optional<double> Figure::measured(const CaseRow& row) const {
  return beside == nullptr ? row.measured : row.measured_figures.*beside;
}

std::optional<double> Figure::predicted(const CaseRow& row) const {
  return beside == nullptr ? row.predicted.value : row.predicted.figures.*beside;
}

std::vector<Figure> figures_of(const CaseFile& cases) {
  std::vector<Figure> figures = {{std::string(value_column(cases.kind))}};
  for (const CaseFigure& figure : case_figures_of(cases)) {
    figures.push_back({std::string(figure.column), figure.value});
  }
  return figures;
}

Agreement agreement(const std::vector<const CaseRow*>& rows, const Figure& figure) {
  std::vector<double> errors;
  std::vector<double> predicted;
  std::vector<double> measured;
  Coverage coverage;
  for (const CaseRow* row : rows) {
    const std::optional<double> says = figure.predicted(*row);
    const std::optional<double> is = figure.measured(*row);
    if (says && is) {
      errors.push_back(*says / *is - 1.0);
      predicted.push_back(*says);
      measured.push_back(*is);
      if (figure.beside == nullptr && row->predicted.relative_uncertainty) {
        coverage.add(*row->time_error(), *row->predicted.relative_uncertainty);
      }
    }
  }
  return {error_statistics(errors), rank_correlation(predicted, measured), coverage};
}

std::vector<const CaseRow*> rows_where(const CaseFile& cases,
                                       const std::function<bool(const CaseRow&)>& wanted) {
  std::vector<const CaseRow*> rows;
  for (const CaseRow& row : cases.rows) {
    if (wanted(row)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

std::vector<std::string> named_groups(const CaseFile& cases) {
  std::vector<std::string> names;
  for (const CaseRow& row : cases.rows) {
    if (!row.group.empty() && std::find(names.begin(), names.end(), row.group) == names.end()) {
      names.push_back(row.group);
    }
  }
  return names;
}

std::vector<Group> groups(const CaseFile& cases) {
  std::vector<Group> result;
  const auto every = [](const CaseRow&) { return true; };
  for (const auto& rows : grouped(rows_where(cases, every), [](const CaseRow& row) {
         return std::tie(row.source, row.device, row.framework, row.op, row.precision);
       })) {
    const CaseRow& first = *rows.front();
    for (const Figure& figure : figures_of(cases)) {
      const Agreement found = agreement(rows, figure);
      if (found.error.count > 0) {
        result.push_back({first.source, first.device, first.framework, first.op, first.precision,
                          figure, found});
      }
    }
  }
  return result;
}

std::vector<Residuals> residuals_by(const CaseFile& cases,
                                    const std::vector<std::string>& columns) {
  const auto less = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), cell_less);
  };
  std::map<std::vector<std::string>, std::vector<const CaseRow*>, decltype(less)> rows(less);
  for (std::size_t i = 0; i < cases.rows.size(); ++i) {
    std::vector<std::string> key;
    for (const std::string& column : columns) {
      key.push_back(cases.table.cell(i, column));
    }
    rows[key].push_back(&cases.rows[i]);
  }
  std::vector<Residuals> result;
  for (const auto& [key, same] : rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      cells.push_back(columns[c] + " " + (key[c].empty() ? "empty" : key[c]));
    }
    for (const Figure& figure : figures_of(cases)) {
      const Agreement found = agreement(same, figure);
      if (found.error.count > 0) {
        result.push_back({join(cells, ", "), figure, found});
      }
    }
  }
  return result;
}

std::vector<MemoryAgreement> memory_agreement(const CaseFile& cases) {
  struct MemoryFigure {
    const char* name;
    std::optional<double> MemoryFigures::*bytes;
  };
  std::vector<MemoryAgreement> result;
  for (const MemoryFigure& figure : {MemoryFigure{"states", &MemoryFigures::states_bytes},
                                     MemoryFigure{"allocated", &MemoryFigures::allocated_bytes},
                                     MemoryFigure{"reserved", &MemoryFigures::reserved_bytes}}) {
    std::vector<double> errors;
    for (const CaseRow& row : cases.rows) {
      const std::optional<double>& predicted = row.predicted.memory.*figure.bytes;
      const std::optional<double>& measured = row.measured_memory.*figure.bytes;
      if (predicted && measured) {
        errors.push_back(*predicted / *measured - 1.0);
      }
    }
    if (!errors.empty()) {
      result.push_back({figure.name, error_statistics(errors)});
    }
  }
  return result;
}

std::size_t Verdicts::count() const {
  return fits_as_predicted + fits_though_not_predicted + out_of_memory_as_predicted +
         out_of_memory_though_not_predicted;
}

double Verdicts::agreement() const {
  return count() == 0 ? 0.0
                      : static_cast<double>(fits_as_predicted + out_of_memory_as_predicted) /
                            static_cast<double>(count());
}

Verdicts verdicts(const CaseFile& cases) {
  Verdicts counts;
  for (const CaseRow& row : cases.rows) {
    if (!row.measured_fits || !row.predicted.fits) {
      continue;
    }
    const bool agrees = *row.measured_fits == *row.predicted.fits;
    std::size_t& count =
        *row.measured_fits ? (agrees ? counts.fits_as_predicted : counts.fits_though_not_predicted)
                           : (agrees ? counts.out_of_memory_as_predicted
                                     : counts.out_of_memory_though_not_predicted);
    ++count;
  }
  return counts;
}

std::vector<Ranking> rankings(const CaseFile& cases) {
  std::vector<Ranking> result;
  if (cases.kind != CaseKind::training) {
    return result;
  }
  for (auto& rows : grouped(rows_where(cases, is_compared), [](const CaseRow& row) {
         return std::tie(row.device, row.shape, row.gpus);
       })) {
    if (rows.size() < fewest_candidates) {
      continue;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const CaseRow* a, const CaseRow* b) {
      return *a->predicted.value / a->tokens < *b->predicted.value / b->tokens;
    });
    const CaseRow& first = *rows.front();
    result.push_back(
        {first.device, first.shape, first.gpus, agreement(rows), regret(rows, 1), regret(rows, 3)});
  }
  return result;
}

}  // namespace scalesweep::validation
