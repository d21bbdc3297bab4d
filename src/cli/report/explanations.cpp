#include "cli/report/explanations.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analysis/show/explained_points.hpp"
#include "cli/explain/explain_report.hpp"
#include "cli/options/command_line.hpp"
#include "cli/report/sheet_pool.hpp"
#include "cli/report/step_picture.hpp"
#include "core/failure.hpp"
#include "store/read/study_parts.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t most_points = 200;
constexpr std::size_t most_pictures = 8;
// What all points together may take: about as much as the largest table.
constexpr std::size_t most_bytes = std::size_t{3} << 19U;

// A study that is read out of the file, and what is added to the ids of its points there.
struct Opened {
  study::Study study;
  PointId first_id = 0;
  std::function<study::Point(PointId)> point_at;  // by its own id
};

// The study of a file out of the file alone, or those that it is a union of. A catalog would be
// another one elsewhere, and the same file another report.
class FileStudies {
 public:
  FileStudies(const std::filesystem::path& file, Explanations& told)
      : file_(file), told_(told), parts_(store::parts_of(store::StudyReader(file))) {}

  // The one that has the point; null, with the problem told, if it cannot be read.
  const Opened* with(PointId id) {
    const auto part = store::part_with(parts_, id);
    const PointId first_id = part ? part->ids.first : 0;
    const auto known = opened_.find(first_id);
    return known != opened_.end() ? &known->second : open(first_id);
  }

 private:
  const Opened* open(PointId first_id) {
    Diagnostics diagnostics;
    auto read = study::study_of_file(
        file_, [&]() -> catalog::Places { return refuse_catalog(); }, diagnostics,
        study::workload_kinds(), first_id);
    if (!read) {
      told_.problem = "this version cannot read the study that the file holds";
      told_.details = diagnostics.text();
      return nullptr;
    }
    Opened& opened =
        opened_.emplace(first_id, Opened{std::move(read->study), first_id, {}}).first->second;
    opened.point_at = opened.study.make_points();
    return &opened;
  }

  [[noreturn]] catalog::Places refuse_catalog() {
    told_.problem = "the file was computed by another version of the estimator";
    refuse(told_.problem);
  }

  std::filesystem::path file_;
  Explanations& told_;
  std::vector<store::StudyPart> parts_;
  std::map<PointId, Opened> opened_;  // by first id: their places do not change
};

class Teller {
 public:
  explicit Teller(FileStudies studies) : studies_(std::move(studies)) {}

  // As far as studies can be read.
  void tell(const analysis::AnalysisResult& result) {
    for (const PointId id : analysis::points_to_explain(result, most_points)) {
      const Opened* const of = pool_.bytes() > most_bytes ? nullptr : studies_.with(id);
      if (of == nullptr) {
        break;
      }
      add_point(id, *of);
    }
    for (const PointId id : analysis::answer_points(result.verdicts)) {
      const Opened* const of = studies_.with(id);
      if (of != nullptr && &of->study.kind() == &study::training_kind()) {
        add_picture(id, *of);
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
  void add_point(PointId id, const Opened& of) {
    std::vector<Json> sheets;
    const study::Point point = of.point_at(id - of.first_id);
    for (const Sheet& sheet : explain_sheets(of.study, point, Format::json)) {
      sheets.push_back(pool_.add(sheet));
    }
    points_.emplace_back(fmt::format("{}", id), sheets);
  }

  void add_picture(PointId id, const Opened& of) {
    if (pictures_.size() == most_pictures) {
      return;
    }
    const study::Point point = of.point_at(id - of.first_id);
    const std::string problem = drawing_problem(point.strategy.schedule);
    pictures_.emplace_back(fmt::format("{}", id), problem.empty()
                                                      ? step_picture(step_drawing(point))
                                                      : Json::object({{"problem", problem}}));
  }

  FileStudies studies_;
  SheetPool pool_;
  Json::Members points_;
  Json::Members pictures_;
};

}  // namespace

Explanations explanations_of(const analysis::AnalysisResult& result,
                             const std::filesystem::path& file, const std::string& command) {
  Explanations told;
  Json::Members members = {{"command", command}};
  if (result.source.sha256.empty()) {
    told.problem = "the study is not finished";
  } else {
    try {
      Teller teller(FileStudies(file, told));
      teller.tell(result);
      teller.add_members(members);
    } catch (const Failure& failure) {
      if (told.problem.empty()) {
        told.problem = "the study that the file holds cannot be read out of it";
      }
      told.details = failure.what();
    }
  }
  members.emplace_back("problem", told.problem);
  told.json = Json::object(std::move(members)).dump();
  return told;
}

}  // namespace scalesweep::cli
