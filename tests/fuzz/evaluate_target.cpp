// A small spec that is right, a few of its keys changed to what their rows allow: it is read,
// resolved, counted, and some of its points are evaluated.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuzz/known_study.hpp"
#include "fuzz/laws.hpp"
#include "property/laws/spec_generator.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::fuzz {
namespace {

constexpr std::int64_t most_points = 64;

const test::SpecGenerator& generator() {
  static const test::SpecGenerator known(known_catalog());
  return known;
}

// Of points that are ok: what is aimed at is a number.
void expect_numbers(const study::Study& study, const store::Table& rows) {
  const store::Schema& schema = study.description().schema;
  const std::size_t status = study::column_named(schema, "status");
  for (const space::Objective& objective : study.spec().objectives) {
    const std::size_t column = study::column_named(schema, objective.column);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double value = rows.number(column, row);
      require(rows.number(status, row) != 0.0 || !std::isnan(value),
              objective.column + " of a point that is ok is no number");
    }
  }
}

void expect_same(const store::Table& one, const store::Table& other) {
  require(one.rows() == other.rows() && one.columns() == other.columns(), "as many rows");
  for (std::size_t column = 0; column < one.columns(); ++column) {
    for (std::size_t row = 0; row < one.rows(); ++row) {
      const double a = one.number(column, row);
      const double b = other.number(column, row);
      require(std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)),
              "a point has the same values whatever is evaluated before it");
    }
  }
}

void evaluate(const study::Study& study, std::size_t place) {
  const std::int64_t size = study.space().size();
  const auto first =
      static_cast<std::int64_t>(static_cast<double>(place) / 65536.0 * static_cast<double>(size));
  const IdRange ids = {first, std::min(size, first + most_points)};
  engine::RangeResult whole = empty_result(study);
  study.make_row_evaluator().evaluate(ids, whole);
  expect_numbers(study, whole.rows);
  require(static_cast<std::int64_t>(whole.rows.rows()) == ids.size(), "each point has a row");
  engine::RangeResult half = empty_result(study);
  const PointId middle = ids.first + ids.size() / 2;
  study.make_row_evaluator().evaluate({middle, ids.last}, half);
  engine::RangeResult first_half = empty_result(study);
  study.make_row_evaluator().evaluate({ids.first, middle}, first_half);
  first_half.rows.append(half.rows);
  expect_same(whole.rows, first_half.rows);
  engine::RangeResult kept = empty_result(study);
  engine::Evaluator evaluator = study.make_evaluator();
  evaluator.evaluate(ids, kept);
  if (evaluator.reduce) {
    evaluator.reduce(kept);
  }
  study.point_at(ids.first);
}

}  // namespace

void run_evaluate(Bytes input) {
  known_study();
  Choices choices(input);
  const std::size_t place = choices.two_bytes();
  const std::string spec = test::text_of(generator().any_spec(choices));
  Diagnostics diagnostics;
  succeeds([&] {
    if (const auto study = study_of(spec, diagnostics)) {
      evaluate(*study, place);
    }
  });
  diagnostics.text();
}

}  // namespace scalesweep::fuzz
