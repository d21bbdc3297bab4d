#include "engine/free_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"

namespace scalesweep::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SpaceQuestion question() {
  SpaceQuestion q;
  q.bytes_per_id = 10.0;
  q.ids_to_do = 600;
  q.ids_of_study = 1'000;
  return q;
}

TEST(SpaceNeeded, IsForSegmentsAndTheMergedFileAtTheSameTime) {
  const SpaceNeeded needed = space_needed(question());

  EXPECT_DOUBLE_EQ(needed.segments_bytes, 6'000.0);
  EXPECT_DOUBLE_EQ(needed.merged_bytes, 10'000.0);
  EXPECT_DOUBLE_EQ(needed.total(), 16'000.0);
}

TEST(SpaceNeeded, IsLessWhereSomeOfItIsThere) {
  SpaceQuestion q = question();
  q.partial_bytes = 4'000.0;
  EXPECT_DOUBLE_EQ(space_needed(q).merged_bytes, 6'000.0);
  q.partial_bytes = 40'000.0;
  EXPECT_DOUBLE_EQ(space_needed(q).merged_bytes, 0.0);
}

TEST(SpaceNeeded, IsForSegmentsAloneWhereNothingIsMerged) {
  SpaceQuestion shard = question();
  shard.merges = false;
  EXPECT_DOUBLE_EQ(space_needed(shard).total(), 6'000.0);
  SpaceQuestion by_segment = question();
  by_segment.layout = store::Layout::by_segment;
  EXPECT_DOUBLE_EQ(space_needed(by_segment).total(), 6'000.0);
}

std::string refusal(const SpaceNeeded& needed, double free) {
  try {
    expect_room("/data/a.h5", needed, free);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    return failure.what();
  }
  return "";
}

TEST(ExpectRoom, NamesWhatIsNeededWhatIsFreeAndTheWaysOut) {
  EXPECT_EQ(refusal({6e12, 1e13}, 1.6e13), "");
  EXPECT_EQ(refusal({6e12, 1e13}, 1e12),
            "/data/a.h5: about 16 TB will be needed (6 TB for segments, 10 TB for the "
            "merged file beside them), but only 1 TB are free there; choose another -o, keep "
            "fewer rows (--keep best or frontier), --layout virtual (needs no merged file), or go "
            "on all the same with --no-space-check");
  EXPECT_THAT(refusal({6e12, 0.0}, 1e12), Not(HasSubstr("--layout")));
}

TEST(FreeBytes, AreToldOfAFolderThatIsThere) {
  EXPECT_GT(free_bytes("/").value_or(0.0), 0.0);
  EXPECT_FALSE(free_bytes("/nowhere/at/all"));
}

TEST(Reserve, IsWhatAllRanksHold) {
  EXPECT_DOUBLE_EQ(reserve_bytes(1, 100.0, 1'000.0, 5.0, 1e9), 2.0 * 500'000.0 + 65'536.0);
  EXPECT_DOUBLE_EQ(reserve_bytes(10, 100.0, 1'000.0, 5.0, 1e3), 10.0 * (2'000.0 + 65'536.0));
}

}  // namespace
}  // namespace scalesweep::engine
