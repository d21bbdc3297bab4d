#include "analysis/query/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <sstream>

#include "analysis/query/choice.hpp"
#include "analysis/query/pivot.hpp"
#include "analysis/writers/output.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "store/read/table_file.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::values;

TestPoint point(std::vector<std::int32_t> axes, double time_s, double energy_j,
                std::int32_t tensor_parallel = 1, std::uint8_t status = 0) {
  TestPoint result;
  result.axes = std::move(axes);
  result.charges_s[0] = time_s;
  result.energy_j = energy_j;
  result.tensor_parallel = tensor_parallel;
  result.status = status;
  return result;
}

// Two nodes, three die areas; the ids are the places in the list.
TestStudy small_study() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), values("die_area", {4e-4, 6e-4, 8e-4}, "m2")};
  study.points = {point({0, 0}, 4.0, 1.0, 1),     point({0, 1}, 3.0, 2.0, 2),
                  point({0, 2}, 5.0, 9.0, 4),     point({1, 0}, 2.0, 3.0, 8),
                  point({1, 1}, 2.0, 4.0, 16),    point({1, 2}, 1.0, 5.0, 32),
                  point({1, 2}, 0.5, 0.5, 64, 1), point({1, 2}, 0.1, 0.1, 64, 2)};
  study.objectives = "step_time, energy_per_step";
  return study;
}

class Query : public ::testing::Test {
 protected:
  Query() {
    small_study().write(folder_.path() / "a.h5");
    reader_.emplace(folder_.path() / "a.h5");
  }

  // Ids in the order in which they are shown.
  std::vector<std::int64_t> ids(QueryOptions options) {
    options.select = {"point_id"};
    std::vector<std::int64_t> result;
    counts_ = run_query(*reader_, plan_query(*reader_, options), [&](const store::Table& rows) {
      const auto& part = rows.values<std::int64_t>(0);
      result.insert(result.end(), part.begin(), part.end());
    });
    return result;
  }

  std::string shown(RowFormat format, const QueryOptions& options, const TextStyle& style = {}) {
    std::ostringstream out;
    const QueryPlan plan = plan_query(*reader_, options);
    const auto writer = make_writer(format, out, *reader_, plan,
                                    source_of(*reader_, "a.h5", "scalesweep query a.h5"), style);
    writer->finish(run_query(*reader_, plan, [&](const store::Table& rows) { writer->add(rows); }));
    return out.str();
  }

  static QueryOptions with(const std::function<void(QueryOptions&)>& change) {
    QueryOptions options;
    change(options);
    return options;
  }

  std::string said(const QueryOptions& options) {
    try {
      plan_query(*reader_, options);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::bad_input);
      return failure.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::optional<store::StudyReader> reader_;
  QueryCounts counts_;
};

TEST_F(Query, shows_feasible_rows_in_the_order_of_the_file) {
  EXPECT_THAT(ids({}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(counts_.rows.rows, 8);
  EXPECT_EQ(counts_.rows.selected, 6);
  EXPECT_EQ(counts_.shown, 6);
  EXPECT_THAT(counts_.rows.other_statuses,
              ElementsAre(std::pair("does_not_fit", 1), std::pair("filtered", 1)));
}

TEST_F(Query, limits_what_is_shown_not_what_is_counted) {
  QueryOptions options;
  options.limit = 2;
  EXPECT_THAT(ids(options), ElementsAre(0, 1));
  EXPECT_EQ(counts_.chosen, 6);
  EXPECT_EQ(counts_.shown, 2);
}

TEST_F(Query, where) {
  QueryOptions options;
  options.rows.where = "logic == 'N5' and die_area <= '6 cm2'";
  EXPECT_THAT(ids(options), ElementsAre(3, 4));
  EXPECT_THAT(counts_.notes, IsEmpty());
  options.rows.where = "step_time > 100";
  EXPECT_THAT(ids(options), IsEmpty());
  EXPECT_THAT(counts_.notes, ElementsAre(HasSubstr("no row fulfils the condition")));
  options.sort = {sort_key("step_time")};
  options.rows.where = "tp == 64";
  EXPECT_THAT(ids(options), IsEmpty());
  EXPECT_THAT(counts_.notes, ElementsAre(HasSubstr("none of the 2 rows that would be selected is "
                                                   "feasible; --all-statuses shows them")));
}

TEST_F(Query, other_statuses_are_shown_where_they_are_asked_for) {
  QueryOptions options;
  options.rows.all_statuses = true;
  EXPECT_THAT(ids(options), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  options.rows.all_statuses = false;
  options.rows.where = "status == 'does_not_fit'";
  EXPECT_THAT(ids(options), ElementsAre(6));
  options.rows.where = "";
  options.rows.ids = {7, 2};
  EXPECT_THAT(ids(options), ElementsAre(2, 7));
  EXPECT_THAT(counts_.rows.other_statuses, IsEmpty());
}

TEST_F(Query, sorts_by_several_keys_ties_to_the_smaller_id) {
  QueryOptions options;
  options.sort = {{"step_time", false}};
  EXPECT_THAT(ids(options), ElementsAre(5, 3, 4, 1, 0, 2));
  options.sort = {sort_key("-logic"), sort_key("-step_time")};
  EXPECT_THAT(ids(options), ElementsAre(3, 4, 5, 2, 0, 1));
  options.limit = 2;
  EXPECT_THAT(ids(options), ElementsAre(3, 4));
}

TEST_F(Query, what_has_no_value_is_sorted_last) {
  QueryOptions options;
  options.rows.ids = {6, 7, 0};
  options.sort = {{"step_time", false}};
  EXPECT_THAT(ids(options), ElementsAre(6, 0, 7));
  options.sort = {{"step_time", true}};
  EXPECT_THAT(ids(options), ElementsAre(0, 6, 7));
}

TEST_F(Query, the_best_of_every_group) {
  QueryOptions options;
  options.best = sort_key("step_time");
  EXPECT_THAT(ids(options), ElementsAre(5));
  options.per = {"logic"};
  EXPECT_THAT(ids(options), ElementsAre(1, 5));
  options.top = 2;
  EXPECT_THAT(ids(options), ElementsAre(1, 0, 5, 3));
  options.best = sort_key("-step_time");
  options.top = 1;
  EXPECT_THAT(ids(options), ElementsAre(2, 3));
  options.sort = {{"step_time", false}};
  EXPECT_THAT(ids(options), ElementsAre(3, 2));
  EXPECT_EQ(counts_.rows.selected, 6);
  EXPECT_EQ(counts_.chosen, 2);
}

TEST_F(Query, the_best_of_what_has_no_value) {
  QueryOptions options;
  options.best = sort_key("step_time");
  options.rows.ids = {7};
  EXPECT_THAT(ids(options), IsEmpty());
  EXPECT_THAT(counts_.notes, ElementsAre("none of the selected rows has a value of step_time"));
}

TEST_F(Query, the_frontier_of_the_objectives_of_the_study_or_of_others) {
  QueryOptions options;
  options.frontier = true;
  EXPECT_THAT(ids(options), ElementsAre(0, 1, 3, 5));
  options.per = {"logic"};
  EXPECT_THAT(ids(options), ElementsAre(0, 1, 3, 5));
  options.objectives = {{"step_time", Direction::minimize},
                        {"tensor_parallel", Direction::maximize}};
  EXPECT_THAT(ids(options), ElementsAre(1, 2, 5));
}

// Of time and energy: (4,1) (3,2) (5,9) (2,3) (2,4) (1,5).
TEST_F(Query, dominance_ranks_are_a_column_and_an_order) {
  QueryOptions options;
  options.frontier = true;
  options.ranks = 2;
  EXPECT_THAT(ids(options), ElementsAre(0, 1, 3, 5, 4));
  EXPECT_EQ(counts_.chosen, 5);
  options.ranks = 3;
  EXPECT_THAT(ids(options), ElementsAre(0, 1, 3, 5, 4, 2));
  options.sort = {sort_key("-rank"), sort_key("step_time")};
  EXPECT_THAT(ids(options), ElementsAre(2, 4, 5, 3, 1, 0));
  options.limit = 1;
  EXPECT_THAT(ids(options), ElementsAre(2));
  options.sort.clear();
  options.limit.reset();
  options.per = {"logic"};
  EXPECT_THAT(shown(RowFormat::csv, options),
              ::testing::StartsWith("rank,point_id,logic,die_area"));
  options.select = {"point_id", "rank", "knee"};
  EXPECT_EQ(shown(RowFormat::csv, options),
            "point_id,rank,knee\n0,1,no\n1,1,no\n2,2,no\n3,1,no\n5,1,no\n4,2,no\n");
  EXPECT_THAT(shown(RowFormat::text, options),
              HasSubstr("6 rows of dominance ranks 1 to 3, of 6 selected"));
}

TEST_F(Query, a_frontier_of_some_points_only) {
  QueryOptions options;
  options.frontier = true;
  options.rows.ids = {4, 2, 6, 0};
  EXPECT_THAT(ids(options), ElementsAre(0, 4));
  EXPECT_EQ(counts_.rows.selected, 3);
  EXPECT_THAT(counts_.rows.other_statuses, ElementsAre(std::pair("does_not_fit", 1)));
}

// A hundred members on a line of falling energy.
TEST_F(Query, a_thinned_frontier_says_how_far_it_stands_for_the_whole) {
  TestStudy study = small_study();
  study.points.clear();
  for (int i = 0; i < 100; ++i) {
    study.points.push_back(point({0, 0}, 1.0 + i, 200.0 - i));
  }
  study.write(folder_.path() / "line.h5");
  reader_.emplace(folder_.path() / "line.h5");
  QueryOptions options;
  options.frontier = true;
  options.thin = 10;
  const std::vector<std::int64_t> kept = ids(options);
  EXPECT_GE(kept.size(), 5U);
  EXPECT_LE(kept.size(), 10U);
  EXPECT_EQ(kept.front(), 0);
  EXPECT_EQ(kept.back(), 99);
  EXPECT_EQ(counts_.chosen, 100);
  ASSERT_EQ(counts_.notes.size(), 1U);
  EXPECT_THAT(counts_.notes.front(),
              HasSubstr(" of 100 members stand for all: each one left out has a neighbour"));
  EXPECT_THAT(shown(RowFormat::json, options), HasSubstr("stand for all"));
  options.thin = 100;
  EXPECT_EQ(ids(options).size(), 100U);
  EXPECT_THAT(counts_.notes, IsEmpty());
}

TEST_F(Query, text_has_units_in_its_head) {
  QueryOptions options;
  options.select = {"point_id", "logic", "die_area", "step_time"};
  options.limit = 2;
  EXPECT_EQ(shown(RowFormat::text, options),
            "  point_id  logic   die_area  step_time\n"
            "                                      s\n"
            "         0  N7     0.0004 m2          4\n"
            "         1  N7     0.0006 m2          3\n"
            "\n"
            "2 of 6 rows; the file has 8; not shown as they are not feasible: 1 does_not_fit, 1 "
            "filtered\n");
}

TEST_F(Query, text_fits_the_terminal_and_names_what_is_left_out) {
  QueryOptions options;
  options.limit = 2;
  const std::string whole = shown(RowFormat::text, options, {0, true});
  EXPECT_THAT(whole, HasSubstr("point_id"));
  EXPECT_THAT(whole, HasSubstr("strategy"));
  const std::string narrow = shown(RowFormat::text, options, {40, true});
  for (const std::string& line : split(narrow, '\n')) {
    EXPECT_LE(line.size(), 40U) << line;
  }
  EXPECT_THAT(narrow, HasSubstr("step_time  energy_per_step\n"));
  EXPECT_THAT(narrow, HasSubstr("  left out: point_id, strategy; --select\n"));
}

TEST_F(Query, what_is_selected_goes_on_in_a_block_below) {
  QueryOptions options;
  options.select = {"point_id", "logic", "step_time", "energy_per_step"};
  options.limit = 2;
  EXPECT_THAT(shown(RowFormat::text, options, {36, false}),
              HasSubstr("  logic N7:\n"
                        "  row  point_id  step_time\n"
                        "                         s\n"));
  EXPECT_THAT(shown(RowFormat::text, options, {36, false}), HasSubstr("  row  energy_per_step\n"
                                                                      "                     J\n"));
}

TEST_F(Query, a_strategy_is_selected_as_one_word) {
  QueryOptions options;
  options.select = {"step_time", "strategy"};
  options.limit = 1;
  EXPECT_THAT(shown(RowFormat::text, options, {0, true}), HasSubstr("TP1 PP1 no-rc"));
  EXPECT_THAT(shown(RowFormat::csv, options), HasSubstr("step_time,tensor_parallel,"));
}

TEST_F(Query, strategies_are_one_word_of_text_each) {
  QueryOptions options;
  options.limit = 1;
  EXPECT_THAT(shown(RowFormat::text, options, {0, true}), HasSubstr("TP1 PP1 no-rc"));
}

TEST_F(Query, csv_has_names_spelled_out_and_quantities_in_si_units) {
  QueryOptions options;
  options.rows.ids = {0, 7};
  options.select = {"logic", "die_area", "tensor_parallel", "recompute", "step_time"};
  EXPECT_EQ(shown(RowFormat::csv, options),
            "logic,die_area,tensor_parallel,recompute,step_time\n"
            "N7,0.0004,1,none,4.0\n"
            "N5,0.0008,64,none,\n");
}

// Names alone have an apostrophe: a number below zero is none.
TEST(QueryOfNames, a_spreadsheet_computes_none_of_them) {
  const scalesweep::test::TemporaryFolder folder;
  TestStudy study = small_study();
  study.axes = {names("logic", {"=1+1", "-N5"}), values("die_area", {4e-4, 6e-4, 8e-4}, "m2")};
  study.write(folder / "a.h5");
  const store::StudyReader reader(folder / "a.h5");
  QueryOptions options;
  options.select = {"logic", "die_area"};
  options.rows.ids = {0, 3};
  const auto told = [&](CsvTexts texts) {
    std::ostringstream out;
    const QueryPlan plan = plan_query(reader, options);
    const TextStyle style = {.texts = texts};
    const auto writer =
        make_writer(RowFormat::csv, out, reader, plan, source_of(reader, "a.h5", ""), style);
    writer->finish(run_query(reader, plan, [&](const store::Table& rows) { writer->add(rows); }));
    return out.str();
  };
  EXPECT_EQ(told(CsvTexts::plain), "logic,die_area\n=1+1,0.0004\n-N5,0.0004\n");
  EXPECT_EQ(told(CsvTexts::spreadsheet), "logic,die_area\n'=1+1,0.0004\n'-N5,0.0004\n");
}

TEST_F(Query, json_is_one_document_and_json_lines_are_many) {
  QueryOptions options;
  options.rows.ids = {0, 7};
  options.select = {"logic", "die_area", "step_time"};
  const std::string rows =
      "{\"logic\": \"N7\", \"die_area\": 0.0004, \"step_time\": 4.0}%"
      "{\"logic\": \"N5\", \"die_area\": 0.0008, \"step_time\": null}";
  const std::size_t bar = rows.find('%');
  EXPECT_EQ(shown(RowFormat::json_lines, options),
            rows.substr(0, bar) + "\n" + rows.substr(bar + 1) + "\n");
  const std::string json = shown(RowFormat::json, options);
  EXPECT_THAT(json, HasSubstr("\"rows\": [\n" + rows.substr(0, bar) + ",\n" + rows.substr(bar + 1) +
                              "\n],"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"die_area\",\"units\":\"m2\""));
  EXPECT_THAT(json, HasSubstr("\"shown\":2"));
}

TEST_F(Query, hdf5_is_a_table_that_describes_itself) {
  QueryOptions options;
  options.select = {"logic", "die_area", "step_time"};
  options.sort = {{"step_time", false}};
  const QueryPlan plan = plan_query(*reader_, options);
  const auto writer = make_hdf5_writer(folder_.path() / "rows.h5", plan,
                                       source_of(*reader_, "a.h5", "scalesweep query a.h5"));
  writer->finish(run_query(*reader_, plan, [&](const store::Table& rows) { writer->add(rows); }));
  const store::NamedTable table = store::read_table(folder_.path() / "rows.h5", "rows");
  ASSERT_EQ(table.table.rows(), 6u);
  EXPECT_THAT(table.schema[0].labels, ElementsAre("N7", "N5"));
  EXPECT_EQ(table.schema[1].units, "m2");
  EXPECT_THAT(table.table.values<double>(1), ElementsAre(8e-4, 4e-4, 6e-4, 6e-4, 4e-4, 8e-4));
  EXPECT_EQ(table.schema[2].units, "s");
}

TEST_F(Query, pivot_tables) {
  PivotOptions options;
  options.down = "logic";
  options.across = "die_area";
  options.value = "step_time";
  const PivotTable table = pivot(*reader_, options);
  EXPECT_THAT(table.down_labels, ElementsAre("N7", "N5"));
  EXPECT_EQ(table.across_labels.size(), 3u);
  EXPECT_THAT(table.values, ElementsAre(4, 3, 5, 2, 2, 1));
  EXPECT_EQ(table.units, "s");

  options.across = "recompute";
  const auto with = [&](PivotStatistic statistic) {
    options.with = statistic;
    return pivot(*reader_, options).values;
  };
  EXPECT_THAT(with(PivotStatistic::min), ElementsAre(3, 1));
  EXPECT_THAT(with(PivotStatistic::max), ElementsAre(5, 2));
  EXPECT_THAT(with(PivotStatistic::mean), ElementsAre(4, 5.0 / 3.0));
  EXPECT_THAT(with(PivotStatistic::median), ElementsAre(4, 2));
  EXPECT_THAT(with(PivotStatistic::count), ElementsAre(3, 3));
  options.rows.where = "step_time < 5";
  EXPECT_THAT(with(PivotStatistic::median), ElementsAre(3.5, 2));
}

TEST_F(Query, pivot_tables_as_text_and_data) {
  PivotOptions options;
  options.down = "logic";
  options.across = "tensor_parallel";
  options.value = "step_time";
  options.rows.where = "tp <= 8";
  const PivotTable table = pivot(*reader_, options);
  EXPECT_EQ(pivot_text(table, 0),
            "min step_time in s, by logic (down) and tensor_parallel (across)\n"
            "\n"
            "  logic  1  2  4  8\n"
            "  N7     4  3  5  -\n"
            "  N5     -  -  -  2\n");
  EXPECT_EQ(pivot_csv(table), "logic,1,2,4,8\nN7,4.0,3.0,5.0,\nN5,,,,2.0\n");
  EXPECT_THAT(pivot_json(table), HasSubstr("\"logic\": \"N5\",\n      \"tensor_parallel\": \"8\""));
}

TEST_F(Query, mistakes_are_named_with_a_way_out) {
  EXPECT_EQ(said(with([](QueryOptions& o) { o.select = {"step_tme"}; })),
            "--select: there is no column 'step_tme'; did you mean 'step_time'?");
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.sort = {{"logik", false}};
              })),
              HasSubstr("--sort: there is no column 'logik'; did you mean 'logic'?"));
  EXPECT_THAT(said(with([](QueryOptions& o) { o.best = sort_key("recompute"); })),
              HasSubstr("--best: 'recompute' holds names, not numbers"));
  EXPECT_THAT(said(with([](QueryOptions& o) { o.per = {"logic"}; })),
              HasSubstr("--per makes groups for --best or --frontier"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.best = sort_key("step_time");
              })),
              HasSubstr("give one of them"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.objectives = {{"step_time", {}}};
              })),
              HasSubstr("are for --frontier"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.objectives = {{"step_time", {}}, {"step_time", Direction::maximize}};
              })),
              HasSubstr("the objective 'step_time' is named twice"));
  EXPECT_THAT(said(with([](QueryOptions& o) { o.rows.ids = {8}; })),
              HasSubstr("there is no point 8: this study has the points 0 to 7"));
  EXPECT_THAT(said(with([](QueryOptions& o) { o.rows.where = "logic == 'N6'"; })),
              HasSubstr("logic is never 'N6' in this study; did you mean 'N7'?"));
  PivotOptions options;
  options.down = "logic";
  options.across = "recompute";
  options.value = "recompute";
  try {
    pivot(*reader_, options);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("--value: 'recompute' holds names, not numbers"));
  }
}

TEST_F(Query, mistakes_with_frontiers_are_named_with_a_way_out) {
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.ranks = 0;
              })),
              HasSubstr("--ranks takes a number from 1 to 100, not 0"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.ranks = 2;
                o.thin = 10;
              })),
              HasSubstr("--thin is for the frontier itself"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.thin = 3;
              })),
              HasSubstr("--thin 3: for 2 objectives it takes 4 or more"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.rows.all_statuses = true;
              })),
              HasSubstr("compares feasible points only; leave --all-statuses out"));
  EXPECT_THAT(said(with([](QueryOptions& o) {
                o.frontier = true;
                o.per = {"step_time"};
              })),
              HasSubstr("no frontier per 'step_time': its values are measured"));
}

// Fed in slices, what is kept is what looking at everything at once gives.
class QueryChoice : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 400'000;
  QueryChoice() {
    std::mt19937 random(7);
    for (std::size_t i = 0; i < rows; ++i) {
      value_.push_back(random() % 50 == 0 ? std::nan("") : static_cast<double>(random() % 100'000));
      group_.push_back(static_cast<double>(random() % 5));
    }
  }
  template <typename Visit>
  void slices(Visit visit) const {
    constexpr std::size_t size = 33'333;
    for (std::size_t first = 0; first < rows; first += size) {
      const std::size_t last = std::min(rows, first + size);
      const auto part = [&](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + static_cast<long>(first),
                                   all.begin() + static_cast<long>(last));
      };
      std::vector<std::int64_t> numbers;
      for (std::size_t i = first; i < last; ++i) {
        numbers.push_back(static_cast<std::int64_t>(i));
      }
      visit(part(group_), part(value_), numbers);
    }
  }
  // Of one group, in order of value.
  std::vector<std::int64_t> in_order(std::optional<double> group) const {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!std::isnan(value_[i]) && (!group || group_[i] == *group)) {
        result.push_back(static_cast<std::int64_t>(i));
      }
    }
    std::stable_sort(result.begin(), result.end(), [&](std::int64_t a, std::int64_t b) {
      return value_[static_cast<std::size_t>(a)] < value_[static_cast<std::size_t>(b)];
    });
    return result;
  }
  std::vector<double> value_, group_;
};

TEST_F(QueryChoice, the_best_in_slices_are_the_best_of_all) {
  BestRows best(20);
  slices([&](const auto& group, const auto& value, const auto& numbers) {
    best.add(group_rows({group}, numbers.size()), value, numbers);
  });
  std::vector<std::int64_t> expected;
  for (int group = 0; group < 5; ++group) {
    const std::vector<std::int64_t> all = in_order(group);
    expected.insert(expected.end(), all.begin(), all.begin() + 20);
  }
  EXPECT_EQ(best.rows(), expected);
}

TEST_F(QueryChoice, the_first_in_slices_are_the_first_of_all) {
  SortedRows sorted({false}, 1000);
  slices(
      [&](const auto&, const auto& value, const auto& numbers) { sorted.add({value}, numbers); });
  std::vector<std::int64_t> expected = in_order(std::nullopt);
  expected.resize(1000);
  EXPECT_EQ(sorted.rows(), expected);
}

}  // namespace
}  // namespace scalesweep::analysis
