// Arbitrary segments, overlapping or not, give the same study.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "store/read/reader.hpp"
#include "store/segments/segment.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

std::vector<Segment> arbitrary_segments(std::int64_t points, int most) {
  std::vector<Segment> segments;
  const int count = *rc::gen::inRange(0, most + 1);
  for (int s = 0; s < count; ++s) {
    const auto first = *rc::gen::inRange<std::int64_t>(0, points);
    const auto last = *rc::gen::inRange<std::int64_t>(first + 1, points + 1);
    segments.push_back({{first, last}, {}, 0, {}});
  }
  return segments;
}

bool are_disjoint_in_order(const std::vector<Segment>& segments) {
  for (std::size_t s = 1; s < segments.size(); ++s) {
    if (segments[s].ids.first < segments[s - 1].ids.last) {
      return false;
    }
  }
  return true;
}

std::int64_t covered_by(const std::vector<Segment>& segments) {
  std::int64_t ids = 0;
  for (const Segment& segment : segments) {
    ids += segment.ids.size();
  }
  return ids;
}

RC_GTEST_PROP(DisjointCover, CoversAsMuchAsAnySubset, ()) {
  const std::vector<Segment> segments = arbitrary_segments(30, 10);
  std::int64_t most = 0;
  for (unsigned subset = 0; subset < (1U << segments.size()); ++subset) {
    std::vector<Segment> chosen;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      if ((subset >> s & 1U) != 0) {
        chosen.push_back(segments[s]);
      }
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const Segment& a, const Segment& b) { return a.ids.first < b.ids.first; });
    if (are_disjoint_in_order(chosen)) {
      most = std::max(most, covered_by(chosen));
    }
  }
  const std::vector<Segment> cover = disjoint_cover(segments);
  RC_ASSERT(are_disjoint_in_order(cover));
  RC_ASSERT(covered_by(cover) == most);
}

RC_GTEST_PROP(SegmentNames, AreReadBack, ()) {
  const auto first = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
  const auto size = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 40);
  const IdRange ids{first, first + size};
  RC_ASSERT(parse_segment_name(segment_name(ids)) == ids);
}

TEST(SegmentNames, OtherNamesAreNone) {
  for (const char* name :
       {"study.json", "a-b.h5", "000000000000-000000000016.h5.tmp", "000000000016-000000000016.h5",
        "0-16.h5", "000000000000.h5", "000000000000-000000000016", "-00000000001-000000000016.h5",
        "9999999999999999999-99999999999999999999.h5"}) {
    EXPECT_FALSE(parse_segment_name(name).has_value()) << name;
  }
}

// Few segments, because each is a file.
TEST(Segmentation, AnyBoundsAndAnyKeptRowsGiveTheSameRows) {
  const auto holds = rc::check("any segmentation gives the same rows", [] {
    const auto points = *rc::gen::inRange<std::int64_t>(1, 400);
    const auto chunk_rows = *rc::gen::element<std::int64_t>(1, 7, 64, 1000);
    const auto kept =
        *rc::gen::container<std::set<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, points));
    const bool all = *rc::gen::arbitrary<bool>();
    const auto keep = [&](PointId id) { return all || kept.contains(id); };
    std::set<std::int64_t> inner;
    for (int bound = *rc::gen::inRange(0, 4); bound > 0; --bound) {
      inner.insert(*rc::gen::inRange<std::int64_t>(0, points));
    }
    inner.insert({0, points});
    const std::vector<std::int64_t> bounds(inner.begin(), inner.end());

    const scalesweep::test::TemporaryFolder folder;
    const StudyDescription study = test::sample_study(points, chunk_rows);
    test::write_study(folder / "a.h5", study, bounds, keep);
    const StudyReader reader(folder / "a.h5");
    std::vector<std::string> names;
    for (const Column& column : study.schema) {
      names.push_back(column.name);
    }
    test::expect_equal(reader.read(names, 0, reader.rows()),
                       test::sample_rows(study, {0, points}, keep), study.schema);
    RC_ASSERT(!testing::Test::HasFailure());
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace scalesweep::store
