#include "cli/options/given_study.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <cmath>

#include "cli/output/terminal.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::cli {
namespace {

// Columns are f32, and compilers may differ in the last bits of what is summed.
constexpr double rounding = 1e-5;

}  // namespace

std::optional<GivenStudy> given_study(const std::string& operand, const CatalogChoice& catalog,
                                      const Streams& streams, std::optional<PointId> id) {
  if (!study::is_study_file(operand)) {
    auto study = load_study(operand, catalog, streams);
    return study ? std::optional(GivenStudy{std::move(*study), std::nullopt}) : std::nullopt;
  }
  Diagnostics diagnostics;
  auto read = study::study_of_file(
      operand, [&] { return find_catalog(catalog); }, diagnostics, study::workload_kinds(), id);
  tell(streams, diagnostics.text());
  if (!read) {
    tell(streams,
         fmt::format("scalesweep: this version cannot read the study that {} holds; give its spec "
                     "instead\n",
                     operand));
    return std::nullopt;
  }
  for (const std::string& note : read->notes) {
    tell(streams, fmt::format("note: {}\n", note));
  }
  tell(streams, overlay_note(read->study));
  return GivenStudy{std::move(read->study), operand, read->is_part, read->first_id};
}

std::string other_value_note(const GivenStudy& source, PointId id) {
  if (!source.file) {
    return "";
  }
  const std::string& column = source.study.spec().objectives.front().column;
  const auto stored = study::stored_value(*source.file, id + source.first_id, column);
  const auto computed = study::computed_value(source.study, id, column);
  if (!stored || !computed || std::abs(*computed - *stored) <= rounding * std::abs(*stored)) {
    return "";
  }
  return fmt::format(
      "note: {} holds {} = {:.6g} {} for point {}; computed now it is {:.6g} ({:+.2g} "
      "%)\n",
      source.file->string(), column, *stored, source.study.objective_units(), id + source.first_id,
      *computed, 100.0 * (*computed / *stored - 1.0));
}

}  // namespace scalesweep::cli
