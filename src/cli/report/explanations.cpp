#include "cli/report/explanations.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "analysis/show/explained_points.hpp"
#include "cli/explain/explain_report.hpp"
#include "cli/options/command_line.hpp"
#include "cli/report/sheet_pool.hpp"
#include "cli/report/step_picture.hpp"
#include "core/failure.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t most_points = 200;
constexpr std::size_t most_pictures = 8;
// What all points together may take: about as much as the largest table.
constexpr std::size_t most_bytes = std::size_t{3} << 19U;

// The study of a file out of the file alone. A catalog would be another one elsewhere, and the same
// file another report.
std::optional<study::Study> read_study(const analysis::Source& source, Explanations& told) {
  if (source.sha256.empty()) {
    told.problem = "the study is not finished";
    return std::nullopt;
  }
  Diagnostics diagnostics;
  bool other_version = false;
  const auto no_catalog = [&]() -> std::filesystem::path {
    other_version = true;
    refuse("the file was computed by another version of the estimator");
  };
  try {
    if (auto read = study::study_of_file(source.file, no_catalog, diagnostics)) {
      return std::move(read->study);
    }
    told.problem = "this version cannot read the study that the file holds";
    told.details = diagnostics.text();
  } catch (const Failure& failure) {
    told.problem =
        other_version ? failure.what() : "the study that the file holds cannot be read out of it";
    told.details = failure.what();
  }
  return std::nullopt;
}

class Teller {
 public:
  explicit Teller(const study::Study& study) : study_(study), point_at_(study.make_points()) {}

  void tell(const analysis::AnalysisResult& result) {
    for (const PointId id : analysis::points_to_explain(result, most_points)) {
      if (pool_.bytes() > most_bytes) {
        break;
      }
      add_point(point_at_(id));
    }
    if (&study_.kind() == &study::training_kind()) {
      for (const PointId id : analysis::answer_points(result.verdicts)) {
        add_picture(id);
      }
    }
  }

  void add_members(Json::Members& members) {
    for (auto& member : pool_.members()) {
      members.push_back(std::move(member));
    }
    members.emplace_back("points", Json::object(std::move(points_)));
    members.emplace_back("pictures", Json::object(std::move(pictures_)));
  }

 private:
  void add_point(const study::Point& point) {
    std::vector<Json> sheets;
    for (const Sheet& sheet : explain_sheets(study_, point, Format::json)) {
      sheets.push_back(pool_.add(sheet));
    }
    points_.emplace_back(fmt::format("{}", point.id), sheets);
  }

  void add_picture(PointId id) {
    if (pictures_.size() == most_pictures) {
      return;
    }
    const study::Point point = point_at_(id);
    const std::string problem = drawing_problem(point.strategy.schedule);
    pictures_.emplace_back(fmt::format("{}", id), problem.empty()
                                                      ? step_picture(step_drawing(point))
                                                      : Json::object({{"problem", problem}}));
  }

  const study::Study& study_;
  std::function<study::Point(PointId)> point_at_;
  SheetPool pool_;
  Json::Members points_;
  Json::Members pictures_;
};

}  // namespace

Explanations explanations_of(const analysis::AnalysisResult& result) {
  Explanations told;
  const std::string file = result.source.file.filename().string();
  Json::Members members = {
      {"command", fmt::format("scalesweep explain {} --point", quoted_word(file))}};
  if (const auto study = read_study(result.source, told)) {
    try {
      Teller teller(*study);
      teller.tell(result);
      teller.add_members(members);
    } catch (const Failure& failure) {
      told.problem = "points of this study cannot be explained";
      told.details = failure.what();
    }
  }
  members.emplace_back("problem", told.problem);
  told.json = Json::object(std::move(members)).dump();
  return told;
}

}  // namespace scalesweep::cli
