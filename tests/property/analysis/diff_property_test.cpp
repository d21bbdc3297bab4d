// What lies in two files as the same bytes is not decoded; where chunks are of other lengths, all
// is. Both ways the same is found.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/diff/diff.hpp"
#include "analysis/diff/output.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using testing::names;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;

TestStudy arbitrary_study() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5", "N3"}), names("model", {"gpt3-175b"})};
  study.objectives = "step_time";
  study.chunk_rows = 16;
  const auto per_node = *rc::gen::inRange(1, 40);
  for (std::int32_t node = 0; node < 3; ++node) {
    for (int strategy = 1; strategy <= per_node; ++strategy) {
      TestPoint point;
      point.axes = {node, 0};
      point.tensor_parallel = strategy;
      point.charges_s[0] = *rc::gen::inRange(1, 4);
      point.status = *rc::gen::inRange<std::uint8_t>(0, 3);
      study.points.push_back(point);
    }
  }
  return study;
}

void change_some(TestStudy& study) {
  const auto changes = *rc::gen::inRange(0, 4);
  for (int change = 0; change < changes; ++change) {
    TestPoint& point = study.points[*rc::gen::inRange<std::size_t>(0, study.points.size())];
    point.charges_s[0] = *rc::gen::inRange(1, 4);
    point.status = *rc::gen::inRange<std::uint8_t>(0, 3);
  }
}

void remove_some(TestStudy& study) {
  const auto removed = *rc::gen::inRange<std::size_t>(0, study.points.size());
  study.points.erase(study.points.begin() + static_cast<std::ptrdiff_t>(removed));
}

// Stored indices stay, but stand for other nodes.
void rename_nodes(TestStudy& study) {
  study.axes[0] = names("logic", *rc::gen::element(std::vector<std::string>{"N5", "N7", "N3"},
                                                   std::vector<std::string>{"N7", "N5", "N2"}));
}

// The same nodes in another order, and so at other ids.
void reverse_nodes(TestStudy& study) {
  study.axes[0] = names("logic", {"N3", "N5", "N7"});
  for (TestPoint& point : study.points) {
    point.axes[0] = 2 - point.axes[0];
  }
  std::stable_sort(study.points.begin(), study.points.end(),
                   [](const TestPoint& a, const TestPoint& b) { return a.axes[0] < b.axes[0]; });
}

TestStudy varied(TestStudy study) {
  if (*rc::gen::arbitrary<bool>()) {
    change_some(study);
  }
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      remove_some(study);
      break;
    case 1:
      rename_nodes(study);
      break;
    case 2:
      reverse_nodes(study);
      break;
    default:  // often nothing: equal, or changed in place
      break;
  }
  return study;
}

std::string found(const std::string& from, const std::string& to) {
  return diff_json(diff_studies(from, to, {}), "a", "b");
}

RC_GTEST_PROP(Diff, IsTheSameWhetherBlocksAreDecodedOrNot, ()) {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
  const TestStudy from = arbitrary_study();
  TestStudy to = varied(from);
  RC_PRE(!to.points.empty());
  from.write(file("a.h5"));
  to.write(file("b.h5"));
  to.chunk_rows = *rc::gen::element<std::int64_t>(7, 15, 1024);
  to.write(file("others.h5"));
  RC_ASSERT(found(file("a.h5"), file("b.h5")) == found(file("a.h5"), file("others.h5")));
  RC_ASSERT(found(file("b.h5"), file("a.h5")) == found(file("others.h5"), file("a.h5")));
}

}  // namespace
}  // namespace scalesweep::analysis
