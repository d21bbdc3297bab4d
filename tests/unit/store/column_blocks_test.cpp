#include "store/read/column_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"
#include "core/host/parallel.hpp"
#include "store/hdf5/columns.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store::test {
namespace {

using scalesweep::test::TemporaryFolder;

const std::vector<std::string> all_columns = {
    "recompute", "point_id", "step_time", "dram_time", "status", "tensor_parallel", "memory"};

// Every block read by several threads, one behind the other.
Table read_in_parallel(const ColumnBlocks& blocks, std::size_t threads) {
  std::vector<Table> parts(blocks.size(), Table(blocks.schema()));
  std::vector<int> states(threads);
  for_each_parallel(states, blocks.size(),
                    [&](int&, std::size_t block) { parts[block] = blocks.read(block); });
  Table all(blocks.schema());
  for (const Table& part : parts) {
    all.append(part);
  }
  return all;
}

void expect_same_as_read(const std::filesystem::path& file) {
  const StudyReader reader(file);
  const ColumnBlocks blocks = reader.blocks(all_columns);
  std::int64_t next = 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    EXPECT_EQ(blocks.rows(block).first, next);
    EXPECT_LT(blocks.rows(block).first, blocks.rows(block).last);
    next = blocks.rows(block).last;
  }
  EXPECT_EQ(next, reader.rows());
  const Table expected = reader.read(all_columns, 0, reader.rows());
  expect_equal(read_in_parallel(blocks, 1), expected, blocks.schema());
  expect_equal(read_in_parallel(blocks, 3), expected, blocks.schema());
  if (blocks.size() > 0) {
    const RowRange last = blocks.rows(blocks.size() - 1);
    const Table some = reader.read({all_columns[2], all_columns[0]}, last.first, last.last);
    expect_equal(blocks.read(blocks.size() - 1, {2, 0}), some,
                 {blocks.schema()[2], blocks.schema()[0]});
  }
}

TEST(ColumnBlocks, GiveWhatReadGives) {
  for (const std::int64_t points : {1, 999, 1000, 1001, 20000}) {
    const TemporaryFolder folder;
    write_study(folder / "a.h5", sample_study(points, 1000), {0, points}, keep_all);
    expect_same_as_read(folder / "a.h5");
  }
}

TEST(ColumnBlocks, GiveWhatReadGivesOfRowsThatWereKept) {
  const TemporaryFolder folder;
  write_study(folder / "a.h5", sample_study(9000, 1024), {0, 2048, 7168, 9000}, keep_some);
  expect_same_as_read(folder / "a.h5");
}

TEST(ColumnBlocks, GiveWhatReadGivesOfSegments) {
  const TemporaryFolder folder;
  const StudyDescription study = sample_study(9000, 1000);
  prepare_output(folder / "a.h5", study);
  for (const IdRange ids : {IdRange{0, 3000}, IdRange{3000, 3000 + 1700}, IdRange{4700, 9000}}) {
    write_sample(folder / "a.h5", study, ids, keep_some);
  }
  FinishOptions options;
  options.layout = Layout::by_segment;
  finish(folder / "a.h5", study, std::nullopt, options);
  expect_same_as_read(folder / "a.h5");
}

TEST(ColumnBlocks, NoRowsNoBlocks) {
  const TemporaryFolder folder;
  write_study(folder / "a.h5", sample_study(50, 10), {0, 50}, [](PointId) { return false; });
  const StudyReader reader(folder / "a.h5");
  EXPECT_EQ(reader.blocks(all_columns).size(), 0);
}

// A copy by another program may have no chunks, or filters of its own.
TEST(ColumnBlocks, LeaveToHdf5WhatIsStoredOtherwise) {
  if (!has_command("h5repack")) {
    GTEST_SKIP() << "no h5repack";
  }
  const TemporaryFolder folder;
  write_study(folder / "a.h5", sample_study(5000, 1000), {0, 5000}, keep_all);
  int number = 0;
  for (const char* how : {"-l CONTI -f NONE", "-f GZIP=3", "-f /results/step_time:NONE"}) {
    const auto copy = folder / ("copy" + std::to_string(number++) + ".h5");
    const std::string from_to = (folder / "a.h5").string() + " " + copy.string();
    ASSERT_EQ(run_command(std::string("h5repack ") + how + " " + from_to).exit, 0) << how;
    expect_same_as_read(copy);
  }
}

TEST(ColumnBlocks, DamageIsFoundAndNamed) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_study(path, sample_study(5000, 1000), {0, 5000}, keep_all);
  std::string bytes = file_bytes(path);
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 0x10);
  write_bytes(path, bytes);
  const StudyReader reader(path);
  const ColumnBlocks blocks = reader.blocks(all_columns);
  try {
    read_in_parallel(blocks, 2);
    FAIL() << "damage was not found";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::io);
    EXPECT_THAT(failure.what(), testing::HasSubstr("a.h5: '"));
    EXPECT_THAT(failure.what(), testing::HasSubstr("its checksum does not hold"));
  }
  // Nor do equal bytes hide it.
  const auto compare_all = [&] {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      blocks.is_stored_as_in(blocks, block);
    }
  };
  EXPECT_THROW(compare_all(), Failure);
}

// Which blocks of a column are stored alike in two files.
std::vector<bool> stored_alike(const std::filesystem::path& a, const std::filesystem::path& b,
                               const std::string& column) {
  const StudyReader one(a);
  const StudyReader other(b);
  const ColumnBlocks blocks = one.blocks({column});
  const ColumnBlocks others = other.blocks({column});
  std::vector<bool> result;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    result.push_back(blocks.is_stored_as_in(others, block));
  }
  return result;
}

TEST(ColumnBlocks, BlocksThatAreStoredAlikeAreKnownWithoutDecoding) {
  const TemporaryFolder folder;
  write_study(folder / "a.h5", sample_study(50, 20), {0, 50}, keep_all);
  write_study(folder / "b.h5", sample_study(50, 20), {0, 25, 50}, keep_all);
  write_study(folder / "longer.h5", sample_study(70, 20), {0, 70}, keep_all);
  write_study(folder / "chunks.h5", sample_study(50, 10), {0, 50}, keep_all);
  using testing::ElementsAre;
  const auto alike = [&](const char* other) {
    return stored_alike(folder / "a.h5", folder / other, "step_time");
  };
  EXPECT_THAT(alike("a.h5"), ElementsAre(true, true, true));
  EXPECT_THAT(alike("b.h5"), ElementsAre(true, true, true));
  EXPECT_THAT(alike("longer.h5"), ElementsAre(true, true, false));  // the last one has more rows
  EXPECT_THAT(alike("chunks.h5"), ElementsAre(false, false, false));
  EXPECT_THAT(stored_alike(folder / "longer.h5", folder / "a.h5", "step_time"),
              ElementsAre(true, true, false, false));
  if (has_command("h5repack")) {
    const std::string plain = (folder / "plain.h5").string();
    ASSERT_EQ(run_command("h5repack -f NONE " + (folder / "a.h5").string() + " " + plain).exit, 0);
    EXPECT_THAT(alike("plain.h5"), ElementsAre(false, false, false));
  }
}

TEST(ColumnBlocks, UnknownColumnsAreSuggested) {
  const TemporaryFolder folder;
  write_study(folder / "a.h5", sample_study(50, 10), {0, 50}, keep_all);
  const StudyReader reader(folder / "a.h5");
  try {
    reader.blocks({"step_tim"});
    FAIL() << "an unknown column was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_THAT(failure.what(), testing::HasSubstr("did you mean 'step_time'?"));
  }
}

}  // namespace
}  // namespace scalesweep::store::test
