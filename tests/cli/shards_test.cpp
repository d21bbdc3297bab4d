// `run --shard`, `merge`, `status` of both, and the options of `run` that are more than a word.
#include <algorithm>
#include <functional>
#include <random>

#include "cli/options/values/run_values.hpp"
#include "cli_fixture.hpp"
#include "core/failure.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;

std::string problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::usage);
    return failure.what();
  }
  return "";
}

TEST(ShardOption, IsANumberOfHowMany) {
  const cli::Shard shard = cli::parse_shard("3/16");
  EXPECT_EQ(shard.number, 3);
  EXPECT_EQ(shard.count, 16);
  for (const std::string text : {"", "3", "0/4", "5/4", "a/4", "1/b", "-1/4", "1/4/2", "1.5/4"}) {
    EXPECT_EQ(problem_of([&] { cli::parse_shard(text); }),
              "--shard " + text +
                  ": write which of how many, the first being 1, for example --shard 3/16");
  }
}

TEST(ShardOption, ShardsAreAllIdsInWholeChunksOnce) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    const auto points = static_cast<std::int64_t>(random() % 100'000);
    const auto chunk = static_cast<std::int64_t>(1 + random() % 5'000);
    const auto count = static_cast<std::int64_t>(1 + random() % 40);
    PointId next = 0;
    std::int64_t smallest = points;
    std::int64_t largest = 0;
    for (std::int64_t number = 1; number <= count; ++number) {
      const IdRange ids = cli::ids_of({number, count}, points, chunk);
      ASSERT_EQ(ids.first, next);
      ASSERT_LE(ids.first, ids.last);
      const bool enough_chunks = points > chunk * (count - 1);
      ASSERT_TRUE(!enough_chunks || ids.last % chunk == 0 || ids.last == points);
      smallest = std::min(smallest, ids.size());
      largest = std::max(largest, ids.size());
      next = ids.last;
    }
    ASSERT_EQ(next, points);
    ASSERT_LE(largest - smallest, 2 * chunk) << "nearly equal";
  }
}

TEST(TimeLimitOption, IsATimeWithItsUnitOrAsSlurmWritesIt) {
  EXPECT_DOUBLE_EQ(cli::parse_time_limit("55 min"), 3300.0);
  EXPECT_DOUBLE_EQ(cli::parse_time_limit("4 h"), 14400.0);
  EXPECT_DOUBLE_EQ(cli::parse_time_limit("03:55:00"), 14100.0);
  EXPECT_DOUBLE_EQ(cli::parse_time_limit("1-12:00:30"), 129630.0);
  for (const std::string text :
       {"", "90", "0 s", "03:55", "1-12", "00:61:00", "soon", "x-1:00:00"}) {
    EXPECT_EQ(problem_of([&] { cli::parse_time_limit(text); }),
              "--time-limit " + text +
                  ": write a time with its unit, for example '55 min' or '4 h', or as Slurm does, "
                  "03:55:00");
  }
}

TEST(LayoutOption, IsMergedOrVirtual) {
  EXPECT_EQ(cli::parse_layout("merged"), store::Layout::merged);
  EXPECT_EQ(cli::parse_layout("virtual"), store::Layout::by_segment);
  EXPECT_EQ(problem_of([] { cli::parse_layout("virtaul"); }),
            "--layout virtaul: no such layout; did you mean 'virtual'?");
}

class Shards : public CliTest {
 protected:
  Said run_shard(const std::string& shard, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"run", spec(), "-o", path("s.h5"), "--shard", shard};
    words.insert(words.end(), more.begin(), more.end());
    return scalesweep(words);
  }
  // Both hold the same rows and counts.
  void expect_equal(const std::string& a, const std::string& b) const {
    const store::StudyReader one{fs::path(a)};
    const store::StudyReader other{fs::path(b)};
    ASSERT_EQ(one.rows(), other.rows());
    EXPECT_EQ(one.counts(), other.counts());
    std::vector<std::string> names;
    for (const store::Column& column : one.schema()) {
      names.push_back(column.name);
    }
    const store::Table x = one.read(names, 0, one.rows());
    const store::Table y = other.read(names, 0, other.rows());
    for (std::size_t c = 0; c < names.size(); ++c) {
      for (std::size_t row = 0; row < x.rows(); ++row) {
        const double p = x.number(c, row);
        const double q = y.number(c, row);
        ASSERT_TRUE(p == q || (p != p && q != q)) << names[c] << " of row " << row;
      }
    }
  }
};

TEST_F(Shards, InAnyOrderMergeToTheStudy) {
  const std::string whole = study();
  for (const char* shard : {"2/3", "3/3", "1/3"}) {
    const Said said = run_shard(shard);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.out, std::string("shard ") + shard)) << said.out;
    EXPECT_TRUE(contains(said.out, "next: scalesweep merge " + path("s.h5"))) << said.out;
    EXPECT_FALSE(fs::exists(path("s.h5")));
  }
  const Said status = scalesweep({"status", path("s.h5")});
  EXPECT_TRUE(contains(status.out, "all computed: the same run command or 'scalesweep merge "))
      << status.out;

  const Said merged = scalesweep({"merge", path("s.h5")});

  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(contains(merged.out, " points, ")) << merged.out;
  EXPECT_FALSE(fs::exists(path("s.h5.d")));
  expect_equal(path("s.h5"), whole);
  const Said again = scalesweep({"merge", path("s.h5")});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, path("s.h5") + " is finished: nothing to do\n");
}

TEST_F(Shards, AreReducedWhenMerged) {
  const std::string keep = "[keep]\npolicy = \"frontier\"\n";
  const std::string whole = study(keep);
  for (const char* shard : {"1/2", "2/2"}) {
    EXPECT_EQ(scalesweep({"run", spec(keep), "-o", path("s.h5"), "--shard", shard}).code, 0);
  }
  EXPECT_EQ(scalesweep({"merge", path("s.h5")}).code, 0);
  expect_equal(path("s.h5"), whole);
}

TEST_F(Shards, FrontiersOfTheirOwnAreReducedAlikeWhenMerged) {
  const std::string text = replaced(small_spec("[keep]\npolicy = \"frontier\"\n"),
                                    "global_batch = 32", "global_batch = [32, 64]");
  const std::string two = write("two.toml", text);
  ASSERT_EQ(scalesweep({"run", two, "-o", path("whole.h5"), "--quiet"}).code, 0);
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    EXPECT_EQ(scalesweep({"run", two, "-o", path("s.h5"), "--shard", shard}).code, 0);
  }
  EXPECT_EQ(scalesweep({"merge", path("s.h5")}).code, 0);
  expect_equal(path("s.h5"), path("whole.h5"));
}

TEST_F(Shards, MissingOneIsNamedAndNothingIsLost) {
  const std::string whole = study();
  run_shard("1/3");
  run_shard("3/3");

  const Said said = scalesweep({"merge", path("s.h5"), "--shards", "3"});

  EXPECT_EQ(said.code, 75) << said.err;
  EXPECT_TRUE(contains(said.err, "points are missing: ids ")) << said.err;
  EXPECT_TRUE(contains(said.err, "; shards 2/3; run these shards again, then merge")) << said.err;
  EXPECT_FALSE(fs::exists(path("s.h5")));
  EXPECT_EQ(scalesweep({"status", "--exit-code", path("s.h5")}).code, 75);
  const Said status = scalesweep({"status", path("s.h5")});
  EXPECT_TRUE(contains(status.out, " points in 1 piece, the first from id ")) << status.out;
  EXPECT_TRUE(contains(status.out, "unfinished: the same run command goes on")) << status.out;

  run_shard("2/3");
  EXPECT_EQ(scalesweep({"merge", path("s.h5")}).code, 0);
  expect_equal(path("s.h5"), whole);
}

TEST_F(Shards, WholeRunComputesWhatTheyLeft) {
  const std::string whole = study();
  run_shard("2/3");
  const Said said = scalesweep({"run", path("spec.toml"), "-o", path("s.h5")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "of them from an earlier run")) << said.out;
  expect_equal(path("s.h5"), whole);
}

TEST_F(Shards, DoneOnesAndEmptyOnesSaySo) {
  run_shard("1/2");
  const Said again = run_shard("1/2");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "nothing to do")) << again.out;
  const Said empty = run_shard("100000/100000");
  EXPECT_EQ(empty.code, 0);
  EXPECT_TRUE(contains(empty.out, "shard 100000/100000 has no points: nothing to do")) << empty.out;
}

TEST_F(Shards, VirtualLayoutHoldsTheSameAndIsMergedLater) {
  const std::string whole = study();
  const Said said =
      scalesweep({"run", path("spec.toml"), "-o", path("v.h5"), "--layout", "virtual"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(fs::exists(path("v.h5.d")));
  expect_equal(path("v.h5"), whole);
  const Said status = scalesweep({"status", path("v.h5")});
  EXPECT_TRUE(contains(status.out, "finished, virtual: its rows are in ")) << status.out;
  const Said again = scalesweep({"run", path("spec.toml"), "-o", path("v.h5")});
  EXPECT_EQ(again.out, path("v.h5") + " is this study, finished: nothing to do\n") << again.err;
  EXPECT_TRUE(fs::exists(path("v.h5.d"))) << "its rows are there";

  const Said merged = scalesweep({"merge", path("v.h5")});

  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_FALSE(fs::exists(path("v.h5.d")));
  expect_equal(path("v.h5"), whole);
}

TEST_F(Shards, VirtualLayoutOfAStudyThatDropsRowsIsRefused) {
  const Said said =
      scalesweep({"run", spec(), "-o", path("v.h5"), "--layout", "virtual", "--keep", "frontier"});
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.err,
            "scalesweep: error: --layout virtual: this study drops rows at its end (keep = best or "
            "frontier) and is small anyway; leave --layout out\n");
}

TEST_F(Shards, MergeOfNothingIsAnError) {
  const Said said = scalesweep({"merge", path("none.h5")});
  EXPECT_EQ(said.code, 66);
  EXPECT_EQ(said.err, "scalesweep: error: " + path("none.h5") +
                          ": there is no such file, "
                          "nor a folder none.h5.d of a study that is not finished\n");
  const Said foreign = scalesweep({"merge", write("notes.h5", "my notes\n")});
  EXPECT_EQ(foreign.code, 65) << foreign.err;
  EXPECT_EQ(content(path("notes.h5")), "my notes\n");
}

TEST_F(Shards, TimeLimitStopsResumably) {
  const Said said = scalesweep({"run", spec(), "-o", path("t.h5"), "--time-limit", "1 us", "-q"});
  EXPECT_EQ(said.code, 75) << said.err;
  EXPECT_TRUE(contains(said.err, "the same command goes on")) << said.err;
  EXPECT_EQ(scalesweep({"run", path("spec.toml"), "-o", path("t.h5"), "-q"}).code, 0);
  expect_equal(path("t.h5"), study());
}

TEST_F(Shards, ScratchResultsAreTheSame) {
  EXPECT_EQ(
      scalesweep({"run", spec(), "-o", path("n.h5"), "--no-sync", "--no-space-check", "-q"}).code,
      0);
  expect_equal(path("n.h5"), study());
}

}  // namespace
}  // namespace scalesweep::test
