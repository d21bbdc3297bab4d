#include "validation/reports.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/text.hpp"

namespace scalesweep::validation {
namespace {

bool is_compared(const CaseRow& row) {
  return row.error().has_value();
}

bool cell_less(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& cell) {
    double value = std::numeric_limits<double>::infinity();
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
  };
  return std::pair(number(a), a) < std::pair(number(b), b);
}

bool is_bar_of(const CaseRow& row) {
  return is_compared(row) && row.predicted.relative_uncertainty.has_value();
}

// One for each figure.
std::vector<AgreementSum> sums_for(const std::vector<Figure>& figures) {
  return std::vector<AgreementSum>(figures.size());
}

void add_to(std::vector<AgreementSum>& sums, const std::vector<Figure>& figures,
            const CaseRow& row) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    sums[i].add(row, figures[i]);
  }
}

}  // namespace

std::optional<double> Figure::measured(const CaseRow& row) const {
  return beside == nullptr ? row.measured : row.measured_figures.*beside;
}

std::optional<double> Figure::predicted(const CaseRow& row) const {
  return beside == nullptr ? row.predicted.value : row.predicted.figures.*beside;
}

std::vector<Figure> figures_of(const CaseFile& cases) {
  std::vector<Figure> figures = {{std::string(cases.kind->value_column)}};
  for (const CaseFigure& figure : case_figures_of(cases)) {
    figures.push_back({std::string(figure.column), figure.value});
  }
  return figures;
}

void AgreementSum::add(const CaseRow& row, const Figure& figure) {
  const std::optional<double> says = figure.predicted(row);
  const std::optional<double> is = figure.measured(row);
  if (says && is) {
    add(*says, *is);
    if (figure.beside == nullptr && is_bar_of(row)) {
      coverage_.add(*row.time_error(), *row.predicted.relative_uncertainty);
    }
    if (figure.beside == &CaseFigures::time_to_train_days && row.predicted.reached.is_known()) {
      coverage_.add(estimator::bars_off(row.predicted.reached, *is / *says), 1.0);
    }
  }
}

void AgreementSum::add(double predicted, double measured) {
  predicted_.push_back(predicted);
  measured_.push_back(measured);
}

Agreement AgreementSum::result() const {
  std::vector<double> errors;
  errors.reserve(count());
  for (std::size_t i = 0; i < count(); ++i) {
    errors.push_back(predicted_[i] / measured_[i] - 1.0);
  }
  return {error_statistics(errors), rank_correlation(predicted_, measured_), coverage_};
}

Agreement agreement(const std::vector<const CaseRow*>& rows, const Figure& figure) {
  AgreementSum sum;
  for (const CaseRow* row : rows) {
    sum.add(*row, figure);
  }
  return sum.result();
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

Summaries::Summaries(const CaseKind& kind, std::vector<Figure> figures)
    : figures_(std::move(figures)) {
  const auto begin = [&](std::string which) {
    summaries_.push_back({std::move(which), 0, {}});
    summaries_.back().figures.resize(figures_.size());
  };
  begin("all");
  if (&kind == &training_cases()) {
    useful_ = summaries_.size();
    begin("at 5 % MFU or more");
  }
}

void Summaries::add(const CaseRow& row) {
  add_to(summaries_.front(), row);
  if (useful_ && row.measured_utilization >= useful_utilization) {
    add_to(summaries_[*useful_], row);
  }
  if (row.group.empty()) {
    return;
  }
  const auto [place, is_new] = named_.try_emplace(row.group, summaries_.size());
  if (is_new) {
    summaries_.push_back({row.group, 0, std::vector<Summary::OfFigure>(figures_.size())});
  }
  add_to(summaries_[place->second], row);
}

void Summaries::add_to(Summary& summary, const CaseRow& row) const {
  ++summary.cases;
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    summary.figures[i].predicted += figures_[i].predicted(row) ? 1 : 0;
    summary.figures[i].agreement.add(row, figures_[i]);
  }
}

void Groups::add(const CaseRow& row) {
  const auto [place, is_new] = known_.try_emplace(
      Key{row.source, row.device, row.framework, row.op, row.precision}, sums_.size());
  if (is_new) {
    sums_.push_back(sums_for(figures_));
  }
  add_to(sums_[place->second], figures_, row);
}

std::vector<Group> Groups::result() const {
  std::vector<const Key*> keys(sums_.size());
  for (const auto& [key, place] : known_) {
    keys[place] = &key;
  }
  std::vector<Group> result;
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    const auto& [source, device, framework, op, precision] = *keys[g];
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      if (sums_[g][i].count() > 0) {
        result.push_back(
            {source, device, framework, op, precision, figures_[i], sums_[g][i].result()});
      }
    }
  }
  return result;
}

std::vector<Group> groups(const CaseFile& cases) {
  Groups found(figures_of(cases));
  for (const CaseRow& row : cases.rows) {
    found.add(row);
  }
  return found.result();
}

bool CellsLess::operator()(const std::vector<std::string>& a,
                           const std::vector<std::string>& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), cell_less);
}

void ResidualSums::add(const CaseRow& row, const CsvTable& table, std::size_t place) {
  std::vector<std::string> key;
  for (const std::string& column : columns_) {
    key.push_back(table.cell(place, column));
  }
  add_to(sums_.try_emplace(std::move(key), sums_for(figures_)).first->second, figures_, row);
}

std::vector<Residuals> ResidualSums::result() const {
  std::vector<Residuals> result;
  for (const auto& [key, sums] : sums_) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      cells.push_back(columns_[c] + " " + (key[c].empty() ? "empty" : key[c]));
    }
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      if (sums[i].count() > 0) {
        result.push_back({join(cells, ", "), figures_[i], sums[i].result()});
      }
    }
  }
  return result;
}

std::vector<Residuals> residuals_by(const CaseFile& cases,
                                    const std::vector<std::string>& columns) {
  ResidualSums sums(figures_of(cases), columns);
  for (std::size_t i = 0; i < cases.rows.size(); ++i) {
    sums.add(cases.rows[i], cases.table, i);
  }
  return sums.result();
}

namespace {

struct MemoryFigure {
  const char* name;
  std::optional<double> MemoryFigures::*bytes;
};
constexpr std::array<MemoryFigure, 3> memory_figures = {
    {{"states", &MemoryFigures::states_bytes},
     {"allocated", &MemoryFigures::allocated_bytes},
     {"reserved", &MemoryFigures::reserved_bytes}}};

}  // namespace

void MemorySums::add(const CaseRow& row) {
  for (std::size_t i = 0; i < memory_figures.size(); ++i) {
    const std::optional<double>& predicted = row.predicted.memory.*memory_figures[i].bytes;
    const std::optional<double>& measured = row.measured_memory.*memory_figures[i].bytes;
    if (predicted && measured) {
      errors_[i].push_back(*predicted / *measured - 1.0);
    }
  }
}

std::vector<MemoryAgreement> MemorySums::result() const {
  std::vector<MemoryAgreement> result;
  for (std::size_t i = 0; i < memory_figures.size(); ++i) {
    if (!errors_[i].empty()) {
      result.push_back({memory_figures[i].name, error_statistics(errors_[i])});
    }
  }
  return result;
}

std::vector<MemoryAgreement> memory_agreement(const CaseFile& cases) {
  MemorySums sums;
  for (const CaseRow& row : cases.rows) {
    sums.add(row);
  }
  return sums.result();
}

void Verdicts::add(const CaseRow& row) {
  if (!row.measured_fits || !row.predicted.fits) {
    return;
  }
  const bool agrees = *row.measured_fits == *row.predicted.fits;
  std::size_t& count = *row.measured_fits ? (agrees ? fits_as_predicted : fits_though_not_predicted)
                                          : (agrees ? out_of_memory_as_predicted
                                                    : out_of_memory_though_not_predicted);
  ++count;
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
    counts.add(row);
  }
  return counts;
}

void Rankings::add(const CaseRow& row) {
  if (!is_compared(row)) {
    return;
  }
  const auto [place, is_new] =
      known_.try_emplace(Key{row.device, row.shape, row.gpus}, groups_.size());
  if (is_new) {
    groups_.emplace_back();
  }
  Candidates& candidates = groups_[place->second];
  candidates.all.push_back({*row.predicted.value, *row.measured, row.tokens});
  if (is_bar_of(row)) {
    candidates.coverage.add(*row.time_error(), *row.predicted.relative_uncertainty);
  }
}

Ranking Rankings::ranking_of(const Key& key, const Candidates& candidates) {
  std::vector<Candidate> ranked = candidates.all;
  std::stable_sort(ranked.begin(), ranked.end(), [](const Candidate& a, const Candidate& b) {
    return a.predicted / a.tokens < b.predicted / b.tokens;
  });
  AgreementSum sum(candidates.coverage);
  for (const Candidate& one : ranked) {
    sum.add(one.predicted, one.measured);
  }
  // How much more the best of the first `count` takes than the best of all.
  const auto regret = [&](std::size_t count) {
    double chosen = std::numeric_limits<double>::infinity();
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const double token_s = ranked[i].measured / ranked[i].tokens;
      best = std::min(best, token_s);
      chosen = i < count ? std::min(chosen, token_s) : chosen;
    }
    return chosen / best - 1.0;
  };
  const auto& [device, shape, gpus] = key;
  return {device, shape, gpus, sum.result(), regret(1), regret(3)};
}

std::vector<Ranking> Rankings::result() const {
  std::vector<const Key*> keys(groups_.size());
  for (const auto& [key, place] : known_) {
    keys[place] = &key;
  }
  std::vector<Ranking> result;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].all.size() >= fewest_candidates) {
      result.push_back(ranking_of(*keys[g], groups_[g]));
    }
  }
  return result;
}

std::vector<Ranking> rankings(const CaseFile& cases) {
  Rankings found;
  if (cases.kind == &training_cases()) {
    for (const CaseRow& row : cases.rows) {
      found.add(row);
    }
  }
  return found.result();
}

}  // namespace scalesweep::validation
