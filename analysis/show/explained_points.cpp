#include "analysis/show/explained_points.hpp"

#include <set>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/frontier/shown_members.hpp"

namespace scalesweep::analysis {
namespace {

// Ids in the order in which they were first named.
class Ids {
 public:
  explicit Ids(std::size_t most) : most_(most) {}

  void add(std::int64_t id) {
    if (id >= 0 && ids_.size() < most_ && known_.insert(id).second) {
      ids_.push_back(id);
    }
  }
  std::vector<std::int64_t> take() { return std::move(ids_); }

 private:
  std::size_t most_;
  std::set<std::int64_t> known_;
  std::vector<std::int64_t> ids_;
};

std::vector<std::int64_t> ids_of(const ResultTable& table) {
  const auto column = find_column(table, std::string(point_id_column));
  return column ? table.table.values<std::int64_t>(*column) : std::vector<std::int64_t>();
}

}  // namespace

std::vector<std::int64_t> answer_points(const Verdicts& verdicts) {
  Ids ids(2 * verdicts.answers.size());
  for (const Verdict& verdict : verdicts.answers) {
    ids.add(verdict.taken.id);
  }
  for (const Verdict& verdict : verdicts.answers) {
    ids.add(verdict.best.id);
  }
  return ids.take();
}

std::vector<std::int64_t> points_to_explain(const AnalysisResult& result, std::size_t most) {
  Ids ids(most);
  for (const std::int64_t id : answer_points(result.verdicts)) {
    ids.add(id);
  }
  for (const Verdict& verdict : result.verdicts.answers) {
    for (const RunnerUp& other : verdict.others) {
      ids.add(other.point.id);
    }
  }
  for (const std::int64_t id : ids_of(result[tables::best])) {
    ids.add(id);
  }
  const std::vector<std::int64_t> members = ids_of(result[tables::frontier]);
  for (const std::size_t row : together(shown_frontiers(result.frontiers, most_pictured)).rows) {
    ids.add(members[row]);
  }
  return ids.take();
}

}  // namespace scalesweep::analysis
