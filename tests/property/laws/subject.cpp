#include "subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/failure.hpp"
#include "study/columns/schema.hpp"
#include "support/small_study.hpp"

namespace scalesweep::laws {

std::int64_t most_points(WorkloadKind kind) {
  constexpr std::array<std::int64_t, test::kind_count> most = {2000, 400, 24, 600, 600, 60};
  return most[static_cast<std::size_t>(kind)];
}

std::optional<study::Study> study_of(const SpecValues& values,
                                     const std::shared_ptr<const catalog::Catalog>& catalog) {
  Diagnostics diagnostics;
  try {
    // Files that keys name are looked for beside the spec.
    const std::string file = (test::source_folder() / "sweeps" / "drawn.toml").string();
    return study::Study::of({file, test::text_of(values), catalog}, diagnostics);
  } catch (const Failure&) {
    return std::nullopt;
  }
}

namespace {

store::Table rows_of(const study::Study& study, IdRange points) {
  engine::RangeResult result = {store::Table(study.description().schema),
                                store::zero_counts(study.description()),
                                std::numeric_limits<double>::infinity()};
  study.make_row_evaluator().evaluate(points, result);
  return std::move(result.rows);
}

}  // namespace

Rows::Rows(study::Study study)
    : study_(std::move(study)),
      table_(rows_of(study_, {0, study_.space().size()})),
      status_(study::column_named(schema(), "status")) {}

store::Table Rows::alone(std::size_t row) const {
  const auto point = static_cast<PointId>(at(0, row));
  return rows_of(study_, {point, point + 1});
}

std::optional<std::size_t> Rows::find(std::string_view name) const {
  const auto found = std::find_if(schema().begin(), schema().end(),
                                  [&](const store::Column& one) { return one.name == name; });
  if (found == schema().end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - schema().begin());
}

std::optional<std::size_t> Rows::with_role(std::string_view word) const {
  for (std::size_t column = 0; column < schema().size(); ++column) {
    const std::string padded = " " + schema()[column].role + " ";
    if (padded.find(fmt::format(" {} ", word)) != std::string::npos) {
      return column;
    }
  }
  return std::nullopt;
}

std::string Rows::status(std::size_t row) const {
  return schema()[status_].labels[static_cast<std::size_t>(at(status_, row))];
}

bool Rows::has_estimate(std::size_t row) const {
  const std::string name = status(row);
  const auto own = study_.kind().columns().statuses;
  const auto names = study::status_names(own);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {  // of the spec: what a requirement misses
    return name.starts_with("misses_");
  }
  return study::has_estimate(static_cast<study::Status>(found - names.begin()), own);
}

std::string Rows::point(std::size_t row) const {
  std::string text = fmt::format("point {}:", static_cast<std::int64_t>(at(0, row)));
  for (std::size_t column = 1; column < status_; ++column) {
    const store::Column& one = schema()[column];
    const auto value = static_cast<std::int64_t>(at(column, row));
    text += fmt::format(
        " {}={}", one.name,
        one.labels.empty() ? std::to_string(value) : one.labels[static_cast<std::size_t>(value)]);
  }
  return text;
}

std::optional<Subject> subject_of(WorkloadKind kind, SpecValues values,
                                  std::shared_ptr<const catalog::Catalog> catalog) {
  std::optional<study::Study> study = study_of(values, catalog);
  if (!study || study->space().size() < 1 || study->space().size() > most_points(kind)) {
    return std::nullopt;
  }
  auto rows = std::make_shared<const Rows>(std::move(*study));
  Subject subject = {kind, std::move(values), std::move(catalog), std::move(rows)};
  subject.changed = std::make_shared<std::map<SpecValues, std::shared_ptr<const Rows>>>();
  return subject;
}

std::shared_ptr<const Rows> rows_of_changed(const Subject& subject, const SpecValues& values) {
  const auto [found, is_new] = subject.changed->try_emplace(values);
  if (is_new) {
    if (const auto after = subject_of(subject.kind, values, subject.catalog)) {
      found->second = after->rows;
    }
  }
  return found->second;
}

}  // namespace scalesweep::laws
