#include "analysis/show/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/show/explained_points.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::scaling_study(2, 2, 1).write(study_);
    result_ = analyze(study_, {});
    texts_ = source_texts(study_);
  }
  nlohmann::json data(std::size_t table_bytes = most_table_bytes) const {
    return nlohmann::json::parse(report_data(result_, texts_, {"scalesweep run x"}, table_bytes));
  }
  static nlohmann::json column(const nlohmann::json& data, const std::string& table,
                               const std::string& name) {
    for (const nlohmann::json& found : data["tables"][table]["columns"]) {
      if (found["name"] == name) {
        return found;
      }
    }
    return {};
  }
  // Ids on the frontier: of a study of tests they are its rows.
  static std::set<std::int64_t> members(const store::StudyReader& reader,
                                        const FrontierRequest& request) {
    std::set<std::int64_t> ids;
    for (const FrontierGroup& group : find_frontier(reader, request).groups) {
      ids.insert(group.rows.begin(), group.rows.end());
    }
    return ids;
  }
  // The value of a row, whether the column is constant or not.
  static nlohmann::json value(const nlohmann::json& column, std::size_t row) {
    return column.contains("all") ? column["all"] : column["values"][row];
  }

  TemporaryFolder folder_;
  fs::path study_ = folder_.path() / "toy.h5";
  AnalysisResult result_;
  SourceTexts texts_;
};

TEST_F(Report, HasEveryTableWithItsRows) {
  const nlohmann::json found = data();
  EXPECT_EQ(found["format"], "scalesweep-report");
  EXPECT_EQ(found["along"], result_.along);
  EXPECT_EQ(found["study"]["sha256"], result_.source.sha256);
  EXPECT_EQ(found["study"]["file"], "toy.h5");
  EXPECT_EQ(found["commands"][0], "scalesweep run x");
  for (const ResultTable* table : tables_of(result_)) {
    EXPECT_EQ(found["tables"][table->name]["rows"], table->table.rows()) << table->name;
    EXPECT_FALSE(found["tables"][table->name].contains("trimmed")) << table->name;
  }
}

TEST_F(Report, NumbersComeBackExactly) {
  const nlohmann::json found = data();
  const ResultTable& best = result_[tables::best];
  ASSERT_GT(best.table.rows(), 1U);
  for (std::size_t i = 0; i < best.schema.size(); ++i) {
    const nlohmann::json shown = column(found, "best", best.schema[i].name);
    ASSERT_FALSE(shown.is_null()) << best.schema[i].name;
    for (std::size_t row = 0; row < best.table.rows(); ++row) {
      const nlohmann::json cell = value(shown, row);
      const double expected = best.table.number(i, row);
      if (std::isnan(expected)) {
        EXPECT_TRUE(cell.is_null());
      } else if (best.schema[i].type == store::ColumnType::f32) {
        EXPECT_EQ(cell.get<float>(), static_cast<float>(expected)) << best.schema[i].name;
      } else {
        EXPECT_EQ(cell.get<double>(), expected) << best.schema[i].name;
      }
    }
  }
}

TEST_F(Report, AxesAndStrategiesAreNames) {
  const nlohmann::json found = data();
  const nlohmann::json logic = column(found, "best", result_.along);
  EXPECT_EQ(logic["axis"], result_.along);
  EXPECT_EQ(found["axes"][result_.along]["labels"].size(), 7U);
  const nlohmann::json strategy = column(found, "best", "strategy");
  for (std::size_t row = 0; row < result_[tables::best].table.rows(); ++row) {
    EXPECT_EQ(strategy["labels"][value(strategy, row).get<std::size_t>()],
              strategy_text(result_.axes, result_.strategy, result_[tables::best], row));
  }
  EXPECT_EQ(column(found, "strategy_changes", "from_" + result_.along)["axis"], result_.along);
}

TEST_F(Report, CarriesTheWordsThatNamesAreReadAs) {
  const nlohmann::json words = data()["words"];
  EXPECT_EQ(words["scale_out"], "scale-out network");
  EXPECT_EQ(words["time_to_first_token_limit"], "time-to-first-token limit");
  ASSERT_FALSE(result_.strategy.empty());
  for (const auto& [name, text] : words_by_name(result_)) {
    EXPECT_EQ(words[name], text);
  }
}

TEST_F(Report, LargeTablesLoseColumnsThenRowsAndSaySo) {
  const std::size_t rows = result_[tables::best].table.rows();
  const nlohmann::json whole = data();
  const std::size_t bytes = whole["tables"]["best"].dump().size();
  const nlohmann::json fewer_columns = data(bytes - 400);
  EXPECT_EQ(fewer_columns["tables"]["best"]["rows"], rows);
  EXPECT_EQ(fewer_columns["tables"]["best"]["trimmed"], true);
  EXPECT_LT(fewer_columns["tables"]["best"]["columns"].size(),
            whole["tables"]["best"]["columns"].size());
  EXPECT_FALSE(column(fewer_columns, "best", "point_id").is_null());
  const nlohmann::json fewer_rows = data(bytes / 8);
  EXPECT_LT(fewer_rows["tables"]["best"]["rows"], rows);
  EXPECT_EQ(fewer_rows["tables"]["best"]["all_rows"], rows);
  EXPECT_LT(fewer_rows["tables"]["best"].dump().size(), bytes / 2);
}

TEST_F(Report, ShowsMembersThatStandForAllWhereThereIsNoRoomForThem) {
  testing::TestStudy study = testing::scaling_study(2, 1, 1);
  for (std::size_t i = 0; i < study.points.size(); ++i) {  // all on one frontier
    study.points[i].status = 0;
    study.points[i].charges_s = {1.0 + static_cast<double>(i)};
    study.points[i].energy_j = 1000.0 - static_cast<double>(i);
  }
  const std::size_t members = study.points.size();
  ASSERT_GT(members, most_pictured);
  study.write(folder_ / "front.h5");
  AnalyzeOptions options;
  options.objectives = {{"step_time"}, {"energy_per_step"}};
  result_ = analyze(folder_ / "front.h5", options);

  const nlohmann::json all = data()["tables"]["frontier"];
  EXPECT_EQ(all["rows"], members);
  nlohmann::json found = data();
  for (std::size_t bytes = 12'000; found["tables"]["frontier"]["rows"] == members; bytes -= 500) {
    ASSERT_GT(bytes, 1000U);
    found = data(bytes);
  }
  const nlohmann::json few = found["tables"]["frontier"];
  EXPECT_LE(few["rows"], most_pictured);
  EXPECT_GT(few["rows"], most_pictured / 2);
  EXPECT_EQ(few["all_rows"], members);
  EXPECT_EQ(column(found, "frontier", "shown")["all"], 1);
  EXPECT_EQ(value(column(found, "frontier_groups", "members"), 0), members);
  EXPECT_EQ(value(column(found, "frontier_groups", "shown"), 0), few["rows"]);
  EXPECT_GT(value(column(found, "frontier_groups", "shown_within"), 0), 0.0);
}

TEST_F(Report, RanksBehindTheFrontierAreATableOfTheirOwn) {
  EXPECT_FALSE(data()["tables"].contains("frontier_behind"));
  AnalyzeOptions options;
  options.ranks = 3;
  const std::size_t members = result_[tables::frontier].table.rows();
  result_ = analyze(study_, options);

  const nlohmann::json found = data();
  EXPECT_EQ(found["tables"]["frontier"]["rows"], members);
  EXPECT_EQ(found["tables"]["frontier_behind"]["rows"],
            result_[tables::frontier].table.rows() - members);
  const nlohmann::json ranks = column(found, "frontier_behind", "rank");
  EXPECT_THAT(ranks["values"],
              ::testing::Each(::testing::AllOf(::testing::Ge(2), ::testing::Le(3))));
}

TEST_F(Report, HasAllThatAFrontierUnderAFilterIsMadeOf) {
  EXPECT_FALSE(data()["tables"].contains("frontier_cells"));
  AnalyzeOptions options;
  options.for_filters = true;
  result_ = analyze(study_, options);
  const nlohmann::json found = data();
  const nlohmann::json ids = column(found, "frontier_cells", "point_id")["values"];
  EXPECT_EQ(found["cell_frontiers"]["rows"], ids.size());
  EXPECT_EQ(found["cell_frontiers"]["are_whole"], true);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_LT(ids.size(), static_cast<std::size_t>(result_.source.rows) / 2);

  const store::StudyReader reader(study_);
  FrontierRequest request;
  request.objectives = result_.objectives;
  std::size_t not_of_the_whole = 0;
  const std::set<std::int64_t> whole = members(reader, request);
  for (const std::string& logic : std::vector<std::string>{"N12", "N7", "N1"}) {
    for (const std::string& condition :
         {"logic == '" + logic + "'", "logic != '" + logic + "' and memory == 'HBM2'",
          "logic == '" + logic + "' and memory != 'HBM2'"}) {
      request.where = condition;
      for (const std::int64_t id : members(reader, request)) {
        EXPECT_THAT(ids, ::testing::Contains(id)) << condition;
        not_of_the_whole += whole.count(id) == 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(not_of_the_whole, 0U);
}

TEST_F(Report, ThatIsThereAsAWholeOrNotAtAll) {
  AnalyzeOptions options;
  options.for_filters = true;
  result_ = analyze(study_, options);
  const nlohmann::json all = data()["tables"]["frontier_cells"];
  const std::size_t bytes = all.dump().size();
  const nlohmann::json narrow = data(bytes / 3);
  EXPECT_EQ(narrow["tables"]["frontier_cells"]["rows"], all["rows"]);
  EXPECT_TRUE(column(narrow, "frontier_cells", "share_dram").is_null());
  for (const Objective& objective : result_.objectives) {
    EXPECT_FALSE(column(narrow, "frontier_cells", objective.column).is_null());
  }
  const nlohmann::json none = data(bytes / 100);
  EXPECT_FALSE(none["tables"].contains("frontier_cells"));
  EXPECT_EQ(none["cell_frontiers"]["rows"], all["rows"]);
}

TEST_F(Report, NoTextOfAStudyEndsTheElementItStandsIn) {
  result_.source.title = "</script><script>alert(1)</script> & \"more\" \xff";
  texts_.spec = "# <!-- </SCRIPT>";
  const std::string text = report_data(result_, texts_, {"<b>"});
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(text)["spec"], texts_.spec);
}

TEST_F(Report, CarriesExplanationsAsTheyAreGivenToIt) {
  EXPECT_TRUE(data()["explanations"].is_null());
  const std::string text =
      report_data(result_, texts_, {}, most_table_bytes, R"({"texts":["</script>"]})");
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(text)["explanations"]["texts"][0], "</script>");
}

TEST_F(Report, AnswersNameTheirPoints) {
  const Verdict& verdict = result_.verdicts.answers.front();
  const nlohmann::json points = data()["verdict"]["answers"][0]["points"];
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points[0]["what"], "taken");
  EXPECT_EQ(points[0]["id"], std::to_string(verdict.taken.id));
  EXPECT_EQ(points[0]["words"], verdict.taken.layout);
  EXPECT_EQ(points.back()["what"], "next");
  EXPECT_EQ(points.back()["id"], std::to_string(verdict.others.back().point.id));
}

TEST_F(Report, ExplainsAnswersFirstAndEachPointOnce) {
  const std::vector<std::int64_t> all = points_to_explain(result_, 1000);
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), all.size());
  const std::vector<std::int64_t> answers = answer_points(result_.verdicts);
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers.front(), result_.verdicts.answers.front().taken.id);
  ASSERT_LE(answers.size(), all.size());
  EXPECT_TRUE(std::equal(answers.begin(), answers.end(), all.begin()));
  for (const ResultTable* table : {&result_[tables::best], &result_[tables::frontier]}) {
    const std::size_t column = column_of(*table, "point_id");
    for (std::size_t row = 0; row < table->table.rows(); ++row) {
      EXPECT_THAT(all, ::testing::Contains(table->table.values<std::int64_t>(column)[row]));
    }
  }
  const std::vector<std::int64_t> few = points_to_explain(result_, 3);
  EXPECT_EQ(few, std::vector<std::int64_t>(all.begin(), all.begin() + 3));
}

TEST_F(Report, QuotesTheSpecButNothingThatNamesAMachine) {
  EXPECT_FALSE(texts_.provenance.contains("host"));
  EXPECT_FALSE(texts_.provenance.contains("environment"));
  EXPECT_FALSE(texts_.provenance.contains("command"));
}

TEST_F(Report, IsBesideTheStudy) {
  EXPECT_EQ(default_report("/data/quick.h5"), "/data/quick.html");
}

TEST_F(Report, SameStudySamePage) {
  if (report_page().empty()) {
    GTEST_SKIP() << "built without the report: " << report_problem();
  }
  const std::string page = report_html(result_, texts_, {});
  EXPECT_EQ(page, report_html(analyze(study_, {}), source_texts(study_), {}));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page.substr(0, 1024), HasSubstr("content=\"scalesweep report\""));
  EXPECT_LT(page.size(), 5'000'000U);
}

TEST_F(Report, WithoutAPageSaysHowToGetIt) {
  if (!report_page().empty()) {
    EXPECT_TRUE(report_problem().empty());
    GTEST_SKIP() << "built with the report";
  }
  try {
    report_html(result_, texts_, {});
    FAIL() << "made a report of nothing";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::report_unavailable);
    EXPECT_THAT(failure.what(), HasSubstr(std::string(report_problem())));
    EXPECT_THAT(failure.what(), HasSubstr("npm"));
  }
}

TEST_F(Report, ReplacesAReportAndNothingElse) {
  const fs::path file = folder_.path() / "out.html";
  const std::string page = "<meta name=\"generator\" content=\"scalesweep report\">first";
  write_report(page, file);
  write_report(page + "second", file);
  EXPECT_EQ(read_file(file), page + "second");
  const fs::path other = folder_.path() / "thesis.html";
  write_file_durably(other, "<html>years of work</html>");
  try {
    write_report(page, other);
    FAIL() << "overwrote a file of somebody else";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    EXPECT_THAT(failure.what(), HasSubstr("thesis.html stands in the way"));
  }
  EXPECT_EQ(read_file(other), "<html>years of work</html>");
}

}  // namespace
}  // namespace scalesweep::analysis
