// A drawn spec with the rows of all its points.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec_generator.hpp"
#include "study/study.hpp"

namespace scalesweep::laws {

using test::SpecValues;
using test::WorkloadKind;

// Points of a study that is small: a second of a law is long where ten thousand are asked.
std::int64_t most_points(WorkloadKind kind);

std::optional<study::Study> study_of(const SpecValues& values,
                                     const std::shared_ptr<const catalog::Catalog>& catalog);

// All rows of a study, whatever its policy keeps.
class Rows {
 public:
  explicit Rows(study::Study study);

  const study::Study& study() const { return study_; }
  const store::Schema& schema() const { return study_.description().schema; }
  const store::Table& table() const { return table_; }
  std::size_t size() const { return table_.rows(); }

  // Nothing where the study has no such column.
  std::optional<std::size_t> find(std::string_view name) const;
  // The first whose role has this word.
  std::optional<std::size_t> with_role(std::string_view word) const;
  double at(std::size_t column, std::size_t row) const { return table_.number(column, row); }
  std::string status(std::size_t row) const;
  bool is_ok(std::size_t row) const { return at(status_, row) == 0.0; }
  bool has_estimate(std::size_t row) const;
  // Columns before the status: what a point is. After it: what it comes to.
  std::size_t status_column() const { return status_; }
  // That row, as one who asks for its point alone gets it.
  store::Table alone(std::size_t row) const;
  // "model = llama-2-7b, accelerators = 16, TP 2, ...", for people.
  std::string point(std::size_t row) const;

 private:
  study::Study study_;
  store::Table table_;
  std::size_t status_ = 0;
};

// What laws are asked of.
struct Subject {
  WorkloadKind kind = WorkloadKind::training;
  SpecValues values;
  std::shared_ptr<const catalog::Catalog> catalog;
  std::shared_ptr<const Rows> rows;
  // What several laws change alike is evaluated once.
  std::shared_ptr<std::map<SpecValues, std::shared_ptr<const Rows>>> changed = {};
};
// Nothing where the spec is not right or not small.
std::optional<Subject> subject_of(WorkloadKind kind, SpecValues values,
                                  std::shared_ptr<const catalog::Catalog> catalog);
// Of the subject with other values; null where that is no subject.
std::shared_ptr<const Rows> rows_of_changed(const Subject& subject, const SpecValues& values);

}  // namespace scalesweep::laws
