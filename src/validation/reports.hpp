// What a file of predicted cases says of the model, as a whole and by group. Each of the classes is
// given one case after the other and keeps of it the numbers that it needs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
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
  // Of the file's value, rows with an error bar; of what stands beside days alone have one, that of
  // what labs' runs took over what is predicted.
  Coverage coverage;
};

class AgreementSum {
 public:
  explicit AgreementSum(Coverage coverage = {}) : coverage_(coverage) {}
  void add(const CaseRow& row, const Figure& figure);
  void add(double predicted, double measured);
  std::size_t count() const { return predicted_.size(); }
  Agreement result() const;

 private:
  std::vector<double> predicted_;
  std::vector<double> measured_;
  Coverage coverage_;
};
Agreement agreement(const std::vector<const CaseRow*>& rows, const Figure& figure = {});

// Pointers to the rows for which `wanted` holds.
std::vector<const CaseRow*> rows_where(const CaseFile& cases,
                                       const std::function<bool(const CaseRow&)>& wanted);

// What rows of inference are asked for by name (case_sources.hpp), in the order in which they first
// occur.
std::vector<std::string> named_groups(const CaseFile& cases);

// Rows that are looked at together: all, those of training that somebody would keep, those that are
// asked for by name.
struct Summary {
  struct OfFigure {
    std::size_t predicted = 0;
    AgreementSum agreement;
  };
  std::string which;
  std::size_t cases = 0;
  std::vector<OfFigure> figures;  // that the file can have
};
class Summaries {
 public:
  Summaries(const CaseKind& kind, std::vector<Figure> figures);
  void add(const CaseRow& row);
  const std::vector<Summary>& result() const { return summaries_; }

 private:
  void add_to(Summary& summary, const CaseRow& row) const;

  std::vector<Figure> figures_;
  std::vector<Summary> summaries_;
  std::optional<std::size_t> useful_;  // the place of those that somebody would keep
  std::map<std::string, std::size_t> named_;
};

// Rows that agree in source, device, framework (of kernels: library), op and precision.
struct Group {
  std::string source, device, framework, op, precision;
  Figure figure;
  Agreement agreement;
};
// In the order in which they first occur, each figure by itself; those without a row both measured
// and predicted are left out.
class Groups {
 public:
  explicit Groups(std::vector<Figure> figures) : figures_(std::move(figures)) {}
  void add(const CaseRow& row);
  std::vector<Group> result() const;

 private:
  using Key = std::array<std::string, 5>;
  std::vector<Figure> figures_;
  std::map<Key, std::size_t> known_;
  std::vector<std::vector<AgreementSum>> sums_;  // by group and figure
};
std::vector<Group> groups(const CaseFile& cases);

// Rows with the same cells in these columns of the input.
struct Residuals {
  std::string cells;  // "tp 8, pp 1"
  Figure figure;
  Agreement agreement;
};
// Numbers before words and by size; words by letter.
struct CellsLess {
  bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const;
};
// In the order of the cells, each figure by itself; rows that are not both measured and predicted
// are left out.
class ResidualSums {
 public:
  ResidualSums(std::vector<Figure> figures, std::vector<std::string> columns)
      : figures_(std::move(figures)), columns_(std::move(columns)) {}
  void add(const CaseRow& row, const CsvTable& table, std::size_t place);
  std::vector<Residuals> result() const;

 private:
  std::vector<Figure> figures_;
  std::vector<std::string> columns_;
  std::map<std::vector<std::string>, std::vector<AgreementSum>, CellsLess> sums_;
};
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
class MemorySums {
 public:
  void add(const CaseRow& row);
  std::vector<MemoryAgreement> result() const;

 private:
  std::array<std::vector<double>, 3> errors_;
};
std::vector<MemoryAgreement> memory_agreement(const CaseFile& cases);

// Counts of rows by measured and predicted outcome.
struct Verdicts {
  std::size_t fits_as_predicted = 0;
  std::size_t fits_though_not_predicted = 0;
  std::size_t out_of_memory_as_predicted = 0;
  std::size_t out_of_memory_though_not_predicted = 0;

  void add(const CaseRow& row);
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
class Rankings {
 public:
  void add(const CaseRow& row);
  std::vector<Ranking> result() const;

 private:
  struct Candidate {
    double predicted = 0.0;
    double measured = 0.0;
    double tokens = 0.0;
  };
  struct Candidates {
    std::vector<Candidate> all;
    Coverage coverage;
  };
  using Key = std::tuple<std::string, std::string, std::int64_t>;  // device, shape, devices
  static Ranking ranking_of(const Key& key, const Candidates& candidates);

  std::map<Key, std::size_t> known_;
  std::vector<Candidates> groups_;
};
std::vector<Ranking> rankings(const CaseFile& cases);

}  // namespace scalesweep::validation
