#include "cli/options/savings.hpp"

#include <memory>
#include <optional>

#include "core/failure.hpp"
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

std::optional<study::SavingsOfPoints> savings_of_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  try {
    const auto read = study::study_of_file(
        file, []() -> catalog::Places { refuse("its entries are of another version"); },
        diagnostics);
    if (read && read->same_estimator && !read->is_part) {
      return study::SavingsOfPoints(read->study);
    }
  } catch (const Failure&) {
    return std::nullopt;  // shares say it then
  }
  return std::nullopt;
}

}  // namespace

analysis::SavingsOf savings_in(const study::Study& study) {
  return [savings = study::SavingsOfPoints(study)](std::int64_t id) { return told(savings, id); };
}

analysis::SavingsOf savings_in(const std::filesystem::path& file) {
  const auto opened = std::make_shared<std::optional<std::optional<study::SavingsOfPoints>>>();
  return [file, opened](std::int64_t id) {
    if (!opened->has_value()) {
      *opened = savings_of_file(file);
    }
    return opened->value() ? told(*opened->value(), id) : std::vector<analysis::ResourceSaving>{};
  };
}

}  // namespace scalesweep::cli
