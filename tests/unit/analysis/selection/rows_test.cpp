#include "analysis/selection/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/findings/analyze.hpp"
#include "analysis/show/text_report.hpp"
#include "store/read/table_file.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using testing::scaling_study;
using testing::TemporaryFolder;

const std::vector<std::string> asked = {"energy_per_step", "step_time", "logic", "step_time"};

// 6,048 rows in six chunks, of which the third of every four does not fit or is slow.
class Rows : public ::testing::Test {
 protected:
  Rows() {
    scaling_study(4, 3, 4).write(file());
    reader_.emplace(file());
    all_ = reader_->read({"step_time", "status"}, 0, reader_->rows());
  }

  std::filesystem::path file() const { return folder_.path() / "a.h5"; }

  RowFilter filter(std::size_t threads) const {
    RowFilter filter;
    filter.where = "step_time < 10";
    filter.reading.threads = threads;
    return filter;
  }

  // The rows for which the filter holds.
  std::vector<std::int64_t> expected() const {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < all_.rows(); ++i) {
      if (all_.number(0, i) < 10.0 && all_.number(1, i) == 0.0) {
        rows.push_back(static_cast<std::int64_t>(i));
      }
    }
    return rows;
  }

  TemporaryFolder folder_;
  std::optional<store::StudyReader> reader_;
  store::Table all_{store::Schema{}};
};

TEST_F(Rows, are_visited_in_order_by_any_number_of_threads) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    std::vector<std::int64_t> rows;
    const RowCounts counts =
        RowSelection(*reader_, filter(threads)).scan(asked, [&](const RowSlice& slice) {
          rows.insert(rows.end(), slice.rows.begin(), slice.rows.end());
          ASSERT_EQ(slice.table.rows(), slice.rows.size());
          for (std::size_t i = 0; i < slice.rows.size(); ++i) {
            const store::Table row = reader_->read(asked, slice.rows[i], slice.rows[i] + 1);
            for (std::size_t c = 0; c < asked.size(); ++c) {
              EXPECT_EQ(slice.table.number(c, i), row.number(c, 0));
            }
          }
        });
    EXPECT_EQ(rows, expected()) << threads;
    EXPECT_EQ(counts.rows, 6048);
    EXPECT_EQ(counts.selected, static_cast<std::int64_t>(rows.size()));
    const auto& unfit = all_.values<std::uint8_t>(1);
    std::int64_t passed_over = 0;
    for (std::size_t i = 0; i < unfit.size(); ++i) {
      passed_over += unfit[i] == 1 && all_.number(0, i) < 10.0 ? 1 : 0;
    }
    EXPECT_THAT(counts.other_statuses, ElementsAre(std::pair("does_not_fit", passed_over)));
  }
}

TEST_F(Rows, beyond_the_most_that_is_wanted_are_counted_only) {
  for (const std::size_t threads : {1u, 4u}) {
    std::vector<std::int64_t> rows;
    int visits = 0;
    const RowCounts counts = RowSelection(*reader_, filter(threads))
                                 .scan(
                                     asked,
                                     [&](const RowSlice& slice) {
                                       ++visits;
                                       EXPECT_EQ(slice.table.rows(), slice.rows.size());
                                     },
                                     1);
    EXPECT_EQ(visits, 1) << threads;
    EXPECT_EQ(counts.selected, static_cast<std::int64_t>(expected().size()));
  }
}

TEST_F(Rows, are_read_in_the_order_asked_for) {
  const std::vector<std::int64_t> rows = {6047, 3, 1024, 5000, 3, 0};
  const store::Table table = read_rows(*reader_, asked, rows);
  ASSERT_EQ(table.rows(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(table.number(1, i), all_.number(0, static_cast<std::size_t>(rows[i])));
  }
  EXPECT_EQ(read_rows(*reader_, asked, {}).rows(), 0u);
}

TEST_F(Rows, may_be_written_to_a_file_while_others_are_read) {
  const store::Schema schema = schema_of(reader_->schema(), {"point_id", "step_time"});
  store::TableFile written(folder_.path() / "rows.h5", "scalesweep-test", 1, {});
  written.begin_table("rows", schema);
  RowSelection(*reader_, filter(4)).scan({"point_id", "step_time"}, [&](const RowSlice& slice) {
    written.add_rows(slice.table);
  });
  written.end_table();
  written.commit();
  const store::Table rows = store::read_table(folder_.path() / "rows.h5", "rows").table;
  EXPECT_EQ(rows.values<std::int64_t>(0), expected());
}

TEST_F(Rows, tell_how_far_reading_is) {
  RowFilter with_progress = filter(3);
  std::vector<double> parts;
  with_progress.reading.progress = [&](std::string_view pass, double done) {
    EXPECT_EQ(pass, "choosing rows");
    parts.push_back(done);
  };
  RowSelection(*reader_, with_progress).scan(asked, [](const RowSlice&) {});
  EXPECT_EQ(parts.size(), 6u);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_EQ(parts.back(), 1.0);
}

TEST_F(Rows, make_the_same_analysis_by_any_number_of_threads) {
  const auto text = [&](std::size_t threads, const std::string& where, bool hold) {
    AnalyzeOptions options;
    options.where = where;
    options.hold = hold;
    options.reading.threads = threads;
    std::map<std::string, int> steps;
    options.reading.progress = [&](std::string_view pass, double) { ++steps[std::string(pass)]; };
    const std::string result = format_analysis(analyze(file(), options), Format::json);
    EXPECT_EQ(steps.at("looking for frontiers"), 6);
    EXPECT_EQ(steps.at("comparing strategies"), 6);
    EXPECT_EQ(steps.at("taking the checksum"), 1);
    return result;
  };
  for (const char* const where : {"", "logic != 'N12' and tensor_parallel < 32"}) {
    EXPECT_EQ(text(1, where, false), text(4, where, false));
    EXPECT_EQ(text(1, where, true), text(3, where, true));
  }
}

}  // namespace
}  // namespace scalesweep::analysis
