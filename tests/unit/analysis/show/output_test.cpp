#include "analysis/show/result_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/show/data_text.hpp"
#include "analysis/show/text_report.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/read/table_file.hpp"
#include "store/seal/open.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::scaling_study(2, 2, 1).write(study_);
    result_ = analyze(study_, {});
  }

  TemporaryFolder folder_;
  fs::path study_ = folder_.path() / "toy.h5";
  fs::path target_ = folder_.path() / "results";
  AnalysisResult result_;
};

TEST_F(Output, DefaultFolderIsBesideTheStudy) {
  EXPECT_EQ(default_folder("/data/quick.h5"), "/data/quick-analysis");
  EXPECT_EQ(default_folder("quick.h5"), "quick-analysis");
}

TEST_F(Output, TablesComeBackFromTheFile) {
  const OutputFiles files = write_analysis(result_, target_);

  EXPECT_EQ(files.tables, target_ / "toy.analysis.h5");
  for (const ResultTable* table : tables_of(result_)) {
    const store::NamedTable back = store::read_table(files.tables, table->name);
    ASSERT_EQ(back.schema.size(), table->schema.size()) << table->name;
    ASSERT_EQ(back.table.rows(), table->table.rows()) << table->name;
    for (std::size_t column = 0; column < back.schema.size(); ++column) {
      EXPECT_EQ(back.schema[column].name, table->schema[column].name);
      EXPECT_EQ(back.schema[column].units, table->schema[column].units);
      EXPECT_FALSE(back.schema[column].description.empty()) << back.schema[column].name;
      EXPECT_EQ(back.schema[column].labels, table->schema[column].labels);
      for (std::size_t row = 0; row < back.table.rows(); ++row) {
        const double expected = table->table.number(column, row);
        const double found = back.table.number(column, row);
        EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)));
      }
    }
  }
}

TEST_F(Output, WordsForNamesComeBackFromTheFile) {
  const OutputFiles files = write_analysis(result_, target_);

  const std::string lines = store::h5::read_text(store::open_checked(files.tables).get(), "words");
  std::map<std::string, std::string> words;
  for (const std::string& line : split(lines, '\n')) {
    const std::size_t end = line.find('=');
    ASSERT_NE(end, std::string::npos) << line;
    EXPECT_TRUE(words.emplace(line.substr(0, end), line.substr(end + 1)).second) << line;
  }

  EXPECT_EQ(words.at("logic"), "logic node");
  EXPECT_EQ(words.at("dram"), "DRAM");
  for (const auto& [name, text] : words_by_name(result_)) {
    EXPECT_EQ(words.at(name), text);
  }
  ASSERT_FALSE(result_.strategy.empty());
  for (const std::string& field : result_.strategy) {  // those have long names in the study
    EXPECT_EQ(words.at(field), name_words(result_, field));
  }
}

TEST_F(Output, CsvHasLabelsAndAHeader) {
  const OutputFiles files = write_analysis(result_, target_);

  ASSERT_EQ(files.csv.size(), tables_of(result_).size());
  const std::vector<std::string> lines = split(read_file(target_ / "toy.best.csv"), '\n');
  EXPECT_THAT(lines[0], ::testing::StartsWith("point_id,model,accelerators,logic,memory,"));
  EXPECT_EQ(lines.size(), result_[tables::best].table.rows() + 2);
  EXPECT_THAT(lines[1], HasSubstr(",gpt3-175b,1024,N12,HBM2,HDRx8,"));
}

TEST_F(Output, CsvQuotesWhatNeedsIt) {
  ResultTable table;
  table.schema = {{"n", store::ColumnType::i32, "", "n", "n", {"a,b", "say \"c\"", "d"}},
                  {"x", store::ColumnType::f64, "1", "x", "x", {}}};
  table.table = store::Table(table.schema);
  table.table.values<std::int32_t>(0) = {0, 1, 2, 9};
  table.table.values<double>(1) = {0.1, std::nan(""), 1e300, 2.0};

  EXPECT_EQ(csv_text({}, table), "n,x\n\"a,b\",0.1\n\"say \"\"c\"\"\",\nd,1e+300\n9,2.0\n");
}

TEST_F(Output, ARerunReplacesItsOwnFiles) {
  write_analysis(result_, target_);
  const AnalysisResult other = analyze(study_, {.along = "memory"});

  const OutputFiles files = write_analysis(other, target_);

  EXPECT_EQ(store::read_table(files.tables, "best").table.rows(), other[tables::best].table.rows());
  for (const fs::directory_entry& entry : fs::directory_iterator(target_)) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  }
}

TEST_F(Output, ForeignFilesStayAsTheyAre) {
  fs::create_directories(target_);
  for (const std::string name : {"toy.best.csv", "toy.step-time.png", "toy.analysis.h5"}) {
    const fs::path foreign = target_ / name;
    std::ofstream(foreign) << "mine";

    try {
      write_analysis(result_, target_);
      ADD_FAILURE() << name << " was overwritten";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::cannot_create);
      EXPECT_THAT(failure.what(), HasSubstr(name));
    }
    EXPECT_EQ(read_file(foreign), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(target_), fs::directory_iterator()), 1);
    fs::remove(foreign);
  }
}

TEST_F(Output, AFileInPlaceOfTheFolderIsRefused) {
  std::ofstream(target_) << "mine";

  try {
    write_analysis(result_, target_);
    ADD_FAILURE() << "a file became a folder";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::cannot_create);
    EXPECT_THAT(failure.what(), HasSubstr("cannot make the folder"));
  }
  EXPECT_EQ(read_file(target_), "mine");
}

TEST_F(Output, TextFitsATerminalAndSaysWhatMatters) {
  const std::string text = format_analysis(result_, Format::text);

  for (const std::string& line : split(text, '\n')) {
    EXPECT_LE(line.size(), line_width) << line;
  }
  for (const char* part :
       {"A test study", "504 points", "What limits the best strategy along the logic node",
        "Bottleneck and its share of the best step time", "Best step time (s)",
        "Where the bottleneck moves", "Frontier over step time, accelerators, energy per step"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(Output, TextSaysWhyNothingFits) {
  testing::TestStudy study = testing::scaling_study(1, 1, 1);
  for (testing::TestPoint& point : study.points) {
    point.status = point.axes[2] == 3 ? 1 : point.status;
  }
  study.write(folder_.path() / "unfit.h5");

  const std::string text = format_analysis(analyze(folder_.path() / "unfit.h5", {}), Format::text);

  EXPECT_THAT(text, HasSubstr("Where nothing is feasible\n  logic node  points\n"
                              "  N5          does not fit 18\n"));
}

TEST_F(Output, JsonIsOneDocument) {
  const auto document = nlohmann::json::parse(format_analysis(result_, Format::json));

  EXPECT_EQ(document["along"], "logic");
  EXPECT_EQ(document["study"]["points"], 504);
  EXPECT_EQ(document["best"].size(), result_[tables::best].table.rows());
  EXPECT_EQ(document["best"][0]["logic"], "N12");
  EXPECT_TRUE(document["best"][0]["point_id"].is_number_integer());
  EXPECT_TRUE(document["transitions"][0]["crossing_value"].is_null());
}

TEST_F(Output, CsvOfAllTablesNamesEach) {
  const std::string text = format_analysis(result_, Format::csv);

  EXPECT_THAT(text, ::testing::StartsWith("# verdicts\nquestion,"));
  for (const char* name : {"\n\n# runners_up\n", "\n\n# frontier\npoint_id,", "\n\n# best\n",
                           "\n\n# transitions\n", "\n\n# strategy_changes\n", "\n\n# coverage\n"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

}  // namespace
}  // namespace scalesweep::analysis
