// What is looked for by bounds is what is found among all points.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "law.hpp"

namespace scalesweep::laws {
namespace {

// What a policy keeps of all points; nothing where the spec cannot have it.
std::optional<store::Table> kept(const Subject& subject, const char* policy, const char* counts) {
  SpecValues values = subject.values;
  test::set_value(values, "keep.policy", policy);
  values.insert_or_assign("keep.counts", counts);
  const std::optional<study::Study> study = study_of(values, subject.catalog);
  if (!study || study->space().size() != subject.rows->study().space().size()) {
    return std::nullopt;
  }
  engine::RangeResult result = {store::Table(study->description().schema),
                                store::zero_counts(study->description()),
                                std::numeric_limits<double>::infinity()};
  engine::Evaluator evaluator = study->make_evaluator();
  evaluator.evaluate({0, study->space().size()}, result);
  if (evaluator.reduce) {
    evaluator.reduce(result);
  }
  return std::move(result.rows);
}

// To the bit, but for the status, which one of them has more words for.
bool same_rows(const store::Table& one, const store::Table& other, std::size_t status) {
  if (one.rows() != other.rows() || one.columns() != other.columns()) {
    return false;
  }
  for (std::size_t column = 0; column < one.columns(); ++column) {
    for (std::size_t row = 0; column != status && row < one.rows(); ++row) {
      const double a = one.number(column, row);
      const double b = other.number(column, row);
      if (std::memcmp(&a, &b, sizeof a) != 0 && !(std::isnan(a) && std::isnan(b))) {
        return false;
      }
    }
  }
  return true;
}

constexpr const char* policies[] = {"\"best\"", "\"frontier\""};

Finding bounded_is_exact(const Law& law, const Subject& subject) {
  Finding finding;
  const char* policy = policies[law.row];
  const auto bounded = kept(subject, policy, "\"bounded\"");
  if (!bounded) {
    return finding;
  }
  const auto exact = kept(subject, policy, "\"exact\"");
  finding.add(exact && same_rows(*bounded, *exact, subject.rows->status_column()), 1.0, [&] {
    return fmt::format("{} rows by bounds, {} of all points", bounded->rows(),
                       exact ? exact->rows() : 0);
  });
  return finding;
}

}  // namespace

std::vector<Law> search_laws() {
  return {{"search: the best by bounds", bounded_is_exact, 0, 3},
          {"search: the frontier by bounds", bounded_is_exact, 1, 3}};
}

}  // namespace scalesweep::laws
