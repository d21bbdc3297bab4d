#include "cli/options/savings.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "core/failure.hpp"
#include "core/id_range.hpp"
#include "study/file/study_of_file.hpp"
#include "study/savings.hpp"

namespace scalesweep::cli {
namespace {

std::vector<analysis::ResourceSaving> told(const study::SavingsOfPoints& savings, PointId id) {
  std::vector<analysis::ResourceSaving> told;
  for (const study::Saving& one : savings.of(id)) {
    told.push_back({one.resource, one.ten_percent, one.without_limit});
  }
  return told;
}

// A study of a file, as far as this version can compute it.
struct ReadStudy {
  IdRange ids;  // in the file
  std::optional<study::SavingsOfPoints> savings;
};

// That of a file which has the point; of a union one of several. Nothing where none can be read.
std::optional<ReadStudy> study_with(const std::filesystem::path& file, PointId id) {
  Diagnostics diagnostics;
  const auto no_catalog = []() -> catalog::Places { refuse("its entries are of another version"); };
  try {
    const auto read =
        study::study_of_file(file, no_catalog, diagnostics, study::workload_kinds(), id);
    if (!read) {
      return std::nullopt;
    }
    ReadStudy found{{read->first_id, read->first_id + read->study.description().points}, {}};
    if (read->same_estimator) {
      found.savings.emplace(read->study);
    }
    return found;
  } catch (const Failure&) {
    return std::nullopt;  // shares say it then
  }
}

}  // namespace

analysis::SavingsOf savings_in(const study::Study& study) {
  return [savings = study::SavingsOfPoints(study)](std::int64_t id) { return told(savings, id); };
}

analysis::SavingsOf savings_in(const std::filesystem::path& file) {
  const auto read = std::make_shared<std::vector<ReadStudy>>();
  return [file, read](std::int64_t id) -> std::vector<analysis::ResourceSaving> {
    const auto has_id = [id](const ReadStudy& study) {
      return id >= study.ids.first && id < study.ids.last;
    };
    auto study = std::find_if(read->begin(), read->end(), has_id);
    if (study == read->end()) {
      // What cannot be read is not tried again for each point.
      read->push_back(study_with(file, id).value_or(ReadStudy{{id, id + 1}, std::nullopt}));
      study = std::prev(read->end());
    }
    return study->savings ? told(*study->savings, id - study->ids.first)
                          : std::vector<analysis::ResourceSaving>{};
  };
}

}  // namespace scalesweep::cli
