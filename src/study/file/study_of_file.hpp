// A study out of its finished file alone: the spec, the entries of the catalog and what a trace of
// requests was reduced to are in it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "study/study.hpp"

namespace scalesweep::study {

struct FileStudy {
  Study study;
  // False where the file was computed by another version of the estimator than this one, of whose
  // estimates it may differ.
  bool same_estimator = true;
  // Sentences: what of the study is another one than when the file was computed.
  std::vector<std::string> notes;
  // Of a union of studies, and what is added to the ids of its points there.
  bool is_part = false;
  PointId first_id = 0;
};

// Whether an operand means a finished file rather than a spec: by its name, NAME.h5, or its
// content.
bool is_study_file(const std::filesystem::path& file);

// The study of a file. Nothing, with the mistakes in `diagnostics`, if its texts cannot be read by
// this version. Throws as StudyReader does, and Failure(bad_input) if its texts make another study
// than it says it is.
//
// Of a union of studies it is the one that has the point `id`: Failure(usage) if none has, or no
// point is named.
//
// `catalog` gives the places that the entries come from which a file of another version lacks; it
// is asked for then alone, and may throw.
std::optional<FileStudy> study_of_file(const std::filesystem::path& file,
                                       const std::function<catalog::Places()>& catalog,
                                       Diagnostics& diagnostics,
                                       WorkloadKinds kinds = workload_kinds(),
                                       std::optional<PointId> id = std::nullopt);

// The entries of the catalog that a file holds. Nothing, with the mistakes in `diagnostics`, if
// this version cannot read them. Throws as StudyReader does; Failure(usage) of a union,
// Failure(bad_input) of a file that holds none.
std::optional<catalog::Catalog> entries_of_file(const std::filesystem::path& file,
                                                Diagnostics& diagnostics);

// What a column has of one point: in the file, and computed now. Nothing where there is no row of
// it, no value in it, or no such column.
std::optional<double> stored_value(const std::filesystem::path& file, PointId id,
                                   const std::string& column);
std::optional<double> computed_value(const Study& study, PointId id, const std::string& column);

}  // namespace scalesweep::study
