// What a file of predicted cases says of the model, as a whole and by group.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validation/cases/case_file.hpp"
#include "validation/statistics.hpp"

namespace scalesweep::validation {

// What is compared: what the file's kind is about, or what stands beside it.
struct Figure {
  std::string column;                                    // of the case file
  std::optional<double> CaseFigures::*beside = nullptr;  // null: the measured value itself

  std::optional<double> measured(const CaseRow& row) const;
  std::optional<double> predicted(const CaseRow& row) const;
};
// Those that the file can have: its value first, then what it has columns of.
std::vector<Figure> figures_of(const CaseFile& cases);

// Of rows whose figure is both measured and predicted.
struct Agreement {
  ErrorStatistics error;
  std::optional<double> rank_correlation;
  // Of the file's value, rows with an error bar; what stands beside has none.
  Coverage coverage;
};
Agreement agreement(const std::vector<const CaseRow*>& rows, const Figure& figure = {});

// Pointers to the rows for which `wanted` holds.
std::vector<const CaseRow*> rows_where(const CaseFile& cases,
                                       const std::function<bool(const CaseRow&)>& wanted);

// What rows of inference are asked for by name (case_sources.hpp), in the order in which they first
// occur.
std::vector<std::string> named_groups(const CaseFile& cases);

// Rows that agree in source, device, framework (of kernels: library), op and precision.
struct Group {
  std::string source, device, framework, op, precision;
  Figure figure;
  Agreement agreement;
};
// In the order in which they first occur, each figure by itself; those without a row both measured
// and predicted are left out.
std::vector<Group> groups(const CaseFile& cases);

// Rows with the same cells in these columns of the input.
struct Residuals {
  std::string cells;  // "tp 8, pp 1"
  Figure figure;
  Agreement agreement;
};
// In the order of the cells, numbers by size, each figure by itself; rows that are not both
// measured and predicted are left out.
std::vector<Residuals> residuals_by(const CaseFile& cases, const std::vector<std::string>& columns);

// The case file's rows that reach this fraction of the matrix units' peak or more: the runs that
// somebody would keep.
inline constexpr double useful_utilization = 0.05;

// Predicted against measured bytes.
struct MemoryAgreement {
  std::string figure;  // states, allocated, reserved
  ErrorStatistics error;
};
// Of the figures that the file has.
std::vector<MemoryAgreement> memory_agreement(const CaseFile& cases);

// Counts of rows by measured and predicted outcome.
struct Verdicts {
  std::size_t fits_as_predicted = 0;
  std::size_t fits_though_not_predicted = 0;
  std::size_t out_of_memory_as_predicted = 0;
  std::size_t out_of_memory_though_not_predicted = 0;

  std::size_t count() const;
  double agreement() const;  // share of rows whose outcome is as predicted; 0 of none
};
Verdicts verdicts(const CaseFile& cases);

// One model on one number of devices, at least `fewest_candidates` layouts of it measured.
// Regret: how much more time a token takes in the best of the layouts that the model ranks first
// (the first one, the first three) than in the best of all measured ones, as a fraction.
struct Ranking {
  std::string device;
  std::string shape;
  std::int64_t gpus = 0;
  Agreement agreement;
  double regret_first = 0.0;
  double regret_first_three = 0.0;
};
inline constexpr std::size_t fewest_candidates = 20;
std::vector<Ranking> rankings(const CaseFile& cases);

}  // namespace scalesweep::validation
