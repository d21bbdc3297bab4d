// Arbitrary segments, put together by calls that are stopped and killed at arbitrary moments.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <set>

#include "store/merge/compact.hpp"
#include "store/merge/finish.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using scalesweep::test::TemporaryFolder;

struct Sample {
  StudyDescription study;
  test::Keep keep;
  std::vector<IdRange> segments;  // cover the study, overlap
};

test::Keep arbitrary_keep() {
  const auto kind = *rc::gen::inRange(0, 4);
  const auto salt = *rc::gen::inRange<std::int64_t>(1, 1000);
  return [=](PointId id) {
    return kind == 0 || (kind == 1 && id * salt % 97 < 60) || (kind == 2 && id % 256 < salt % 100);
  };
}

Sample arbitrary_sample(int most_bounds) {
  const auto points = *rc::gen::inRange<std::int64_t>(2, 1200);
  const auto chunk_rows = *rc::gen::element<std::int64_t>(7, 32, 100, 2000);
  // Bounds at whole chunks as often as elsewhere.
  std::set<std::int64_t> bounds = {0, points};
  for (int b = *rc::gen::inRange(0, most_bounds); b > 0; --b) {
    const auto id = *rc::gen::inRange<std::int64_t>(0, points);
    bounds.insert(*rc::gen::arbitrary<bool>() ? id / chunk_rows * chunk_rows : id);
  }
  Sample sample{test::sample_study(points, chunk_rows), arbitrary_keep(), {}};
  sample.study.root_attributes["created"] = "2020-01-01T00:00:00Z";
  for (auto b = bounds.begin(); std::next(b) != bounds.end(); ++b) {
    sample.segments.push_back({*b, *std::next(b)});
  }
  for (int more = *rc::gen::inRange(0, 4); more > 0; --more) {
    const auto first = *rc::gen::inRange<std::int64_t>(0, points);
    sample.segments.push_back({first, *rc::gen::inRange<std::int64_t>(first + 1, points + 1)});
  }
  return sample;
}

void write(const fs::path& output, const Sample& sample) {
  prepare_output(output, sample.study, Durability::scratch);
  for (const IdRange& ids : sample.segments) {
    write_segment(output, sample.study, ids, test::sample_rows(sample.study, ids, sample.keep),
                  test::sample_counts(ids, sample.keep), Durability::scratch);
  }
}

// Every other row, and of these the first hundred: what is left of parts is what is left of all.
std::vector<std::size_t> first_even_ids(const Table& rows) {
  const auto& ids = rows.values<std::int64_t>(0);
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < ids.size() && chosen.size() < 100; ++row) {
    if (ids[row] % 2 == 0) {
      chosen.push_back(row);
    }
  }
  return chosen;
}

// Where a process ends: when it asks whether to stop, when a file becomes larger than this, or
// whenever it comes.
enum class End { stop, kill_at_block, kill_at_byte, kill_at_any_time };

struct Disturbance {
  End end = End::stop;
  int blocks = 0;
  rlim_t bytes = 0;
  useconds_t microseconds = 0;
};

Disturbance arbitrary_disturbance() {
  return {
      *rc::gen::element(End::stop, End::kill_at_block, End::kill_at_byte, End::kill_at_any_time),
      *rc::gen::inRange(0, 20), *rc::gen::inRange<rlim_t>(0, 100000),
      *rc::gen::inRange<useconds_t>(0, 20000)};
}

FinishOptions arbitrary_options() {
  FinishOptions options;
  options.durability = Durability::scratch;
  options.buffer_bytes = *rc::gen::element<std::int64_t>(1, 5000, 1 << 20);
  options.checkpoint_seconds = *rc::gen::element(0.0, 0.001, 1.0);
  return options;
}

// Runs the body in a process that ends as disturbed, or else by itself.
void disturb(const Disturbance& disturbance, FinishOptions options,
             const std::function<void(const FinishOptions&)>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    options.stop_requested = [&disturbance, left = disturbance.blocks]() mutable {
      const bool now = --left < 0;
      if (now && disturbance.end == End::kill_at_block) {
        ::kill(::getpid(), SIGKILL);
      }
      return now && disturbance.end == End::stop;
    };
    if (disturbance.end == End::kill_at_byte) {
      const rlimit none = {0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      ::signal(SIGXFSZ, SIG_DFL);
      const rlimit size = {disturbance.bytes, disturbance.bytes};
      ::setrlimit(RLIMIT_FSIZE, &size);
    }
    try {
      body(options);
    } catch (const std::exception& error) {
      ::write(STDERR_FILENO, error.what(), std::strlen(error.what()));
      ::_exit(1);
    }
    ::_exit(0);
  }
  if (disturbance.end == End::kill_at_any_time) {
    ::usleep(disturbance.microseconds);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  RC_ASSERT(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
}

void expect_sample(const fs::path& output, const Sample& sample) {
  const StudyReader reader(output);
  std::vector<std::string> names;
  for (const Column& column : sample.study.schema) {
    names.push_back(column.name);
  }
  test::expect_equal(reader.read(names, 0, reader.rows()),
                     test::sample_rows(sample.study, {0, sample.study.points}, sample.keep),
                     sample.study.schema);
  RC_ASSERT(!testing::Test::HasFailure());
}

// Several disturbed calls, the first of which may join segments, then one that is left alone.
void finish_disturbed(const fs::path& output, const Sample& sample,
                      const std::optional<RowSelector>& selector, const FinishOptions& options) {
  for (int calls = *rc::gen::inRange(1, 5); calls > 0; --calls) {
    const bool join = !fs::exists(output) && *rc::gen::inRange(0, 3) == 0;
    const auto first = *rc::gen::elementOf(sample.segments);
    const auto last = *rc::gen::elementOf(sample.segments);
    const IdRange joined{std::min(first.first, last.first), std::max(first.last, last.last)};
    disturb(arbitrary_disturbance(), options, [&](const FinishOptions& disturbed) {
      if (join) {
        compact_segments(output, sample.study, joined, selector, Durability::scratch);
      } else {
        finish(output, sample.study, selector, disturbed);
      }
    });
  }
  RC_ASSERT(finish(output, sample.study, selector, options).complete);
}

// One in ten has so many segments that they are joined before they are linked.
Sample few_or_many_segments() {
  Sample sample = arbitrary_sample(12);
  if (*rc::gen::inRange(0, 10) == 0) {
    sample.segments.clear();
    for (PointId first = 0; first < sample.study.points; first += 4) {
      sample.segments.push_back({first, std::min(first + 4, sample.study.points)});
    }
  }
  return sample;
}

TEST(DisturbedMerge, GivesTheBytesOfAnUndisturbedOne) {
  EXPECT_TRUE(rc::check("a disturbed merge gives the same bytes", [] {
    const Sample sample = few_or_many_segments();
    const TemporaryFolder folder;
    write(folder / "a.h5", sample);
    fs::copy(folder / "a.h5.d", folder / "b.h5.d");
    const auto kind = *rc::gen::element<std::string>("merged", "merged", "selected", "linked");
    const auto selector =
        kind == "selected" ? std::optional<RowSelector>(first_even_ids) : std::nullopt;
    FinishOptions options = arbitrary_options();
    RC_ASSERT(finish(folder / "b.h5", sample.study, selector, options).complete);
    if (kind == "linked") {
      options.layout = Layout::by_segment;
      finish_disturbed(folder / "a.h5", sample, selector, options);
      expect_sample(folder / "a.h5", sample);
      RC_ASSERT(read_progress(folder / "a.h5").layout == Layout::by_segment);
      options.layout = Layout::merged;
    }
    finish_disturbed(folder / "a.h5", sample, selector, options);
    RC_ASSERT(test::file_bytes(folder / "a.h5") == test::file_bytes(folder / "b.h5"));
    if (kind != "selected") {
      expect_sample(folder / "a.h5", sample);
    }
    RC_ASSERT(test::folder_names(folder.path()) == (std::vector<std::string>{"a.h5", "b.h5"}));
  }));
}

}  // namespace
}  // namespace scalesweep::store
