#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/declared.hpp"
#include "analysis/show/data_text.hpp"
#include "analysis/show/report.hpp"
#include "analysis/show/result_files.hpp"
#include "analysis/show/text_report.hpp"
#include "core/host/files.hpp"
#include "store/read/table_file.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::numbers_of;
using testing::TemporaryFolder;
using testing::texts_of;

struct Fruit {
  int kind = 0;
  std::int64_t count = 0;
  double mass_b = 0.0;
  double part = 0.0;
};

ResultTable fruits(const TableInputs&) {
  const std::vector<Fruit> rows = {{0, 12'345, 2e9, 0.25}, {1, 3, 5e8, 0.75}};
  TableOf<Fruit> table("what lies in the basket");
  table.column(name_column("kind", "kind", "of fruit", {"apple", "wild_pear"}), &Fruit::kind)
      .column(count_column("pieces", "how many"), &Fruit::count)
      .column(number_column("mass", "mass of all", "together", "B"), &Fruit::mass_b)
      .column(share_column("part", "part of the basket"), &Fruit::part);
  return table.of(rows);
}

ResultTable nothing(const TableInputs&) {
  return {};
}

// A study with tables that a test declares behind its own.
class DeclaredTables : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::scaling_study(2, 2, 1).write(study_);
    result_ = analyze(study_, {});
  }
  void declare(const std::vector<TableSpec>& specs) {
    const store::StudyReader reader(study_, store::Unfinished::read);
    const Reading reading;
    const Scan scan(Grid(reading.layout, {}));
    for (ResultTable& table : make_tables(
             specs, {reader, reading, {}, scan, {}, {}, {}, {}, {}, {}, {}, {}, {}, true})) {
      result_.tables.push_back(std::move(table));
    }
  }
  std::string text() const { return format_analysis(result_, Format::text, 79); }
  nlohmann::json data() const {
    return nlohmann::json::parse(report_data(result_, source_texts(study_), {}))["tables"];
  }

  TemporaryFolder folder_;
  fs::path study_ = folder_.path() / "toy.h5";
  AnalysisResult result_;
};

TEST_F(DeclaredTables, APlainOneIsInFilesTextAndReport) {
  declare({{"fruits", SeenIn::everywhere, fruits, "Fruits of the study"}});

  EXPECT_THAT(numbers_of(result_["fruits"], "pieces"), ElementsAre(12'345.0, 3.0));
  const OutputFiles files = write_analysis(result_, folder_.path());
  const store::NamedTable back = store::read_table(files.tables, "fruits");
  EXPECT_EQ(back.schema[2].units, "B");
  EXPECT_EQ(back.schema[3].role, "share");
  EXPECT_EQ(back.attributes.at("description"), "what lies in the basket");
  EXPECT_EQ(read_file(folder_.path() / "toy.fruits.csv"),
            "kind,pieces,mass,part\napple,12345,2000000000.0,0.25\nwild_pear,3,500000000.0,0.75\n");
  EXPECT_EQ(nlohmann::json::parse(json_text(result_))["fruits"][1]["kind"], "wild_pear");
  EXPECT_THAT(text(), HasSubstr("Fruits of the study: what lies in the basket\n"
                                "  kind       pieces  mass of all  part\n"
                                "                              GB     %\n"
                                "  apple       12345            2    25\n"
                                "  wild pear       3          0.5    75\n"));
  const nlohmann::json table = data()["fruits"];
  EXPECT_EQ(table["title"], "Fruits of the study");
  EXPECT_FALSE(table.contains("own_view"));
  EXPECT_EQ(table["columns"][2]["units"], "B");
  EXPECT_EQ(table["columns"][3]["role"], "share");
}

TEST_F(DeclaredTables, OthersAreSeenWhereTheyAreDeclaredToBe) {
  declare({{"in_report", SeenIn::report, fruits},
           {"with_views", SeenIn::own_views, fruits},
           {"drawn", SeenIn::pictures, fruits},
           {"absent", SeenIn::everywhere, nothing}});

  EXPECT_THAT(text(), Not(HasSubstr("basket")));
  EXPECT_FALSE(data()["in_report"].contains("own_view"));
  EXPECT_EQ(data()["with_views"]["own_view"], true);
  EXPECT_EQ(data()["drawn"]["own_view"], true);
  EXPECT_THAT(csv_text(result_), HasSubstr("# with_views\n"));
  EXPECT_THAT(csv_text(result_), Not(HasSubstr("# drawn\n")));
  EXPECT_FALSE(nlohmann::json::parse(json_text(result_)).contains("drawn"));
  EXPECT_TRUE(result_["absent"].schema.empty());
  EXPECT_FALSE(data().contains("absent"));
}

TEST_F(DeclaredTables, NamesAreThoseOfDeclarations) {
  std::set<std::string_view> names;
  for (const TableSpec& spec : declared_tables()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(result_[spec.name].name, spec.name);
  }
  for (const std::string_view name :
       {tables::best, tables::coverage, tables::effects, tables::frontier, tables::frontier_groups,
        tables::improvements, tables::strategy_changes, tables::transitions}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_THROW(result_["besst"], std::logic_error);
}

TEST_F(DeclaredTables, ViewsAndFiguresAskForTablesThatThereAre) {
  std::set<std::string> names = {"frontier_behind", "frontier_cells"};  // of the report alone
  for (const TableSpec& spec : declared_tables()) {
    names.emplace(spec.name);
  }
  const std::regex asked(
      R"re((?:\btable|\badd|tables\.get)\(['"](\w+)['"]|Table\(file\["(\w+)"\]\))re");
  std::size_t all = 0;
  for (const std::string folder : {"report/src/views", "figures"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(ANALYSIS_SOURCES) / folder)) {
      const std::string text = entry.is_regular_file() ? read_file(entry.path()) : "";
      for (std::sregex_iterator found(text.begin(), text.end(), asked), end; found != end;
           ++found) {
        const std::string name = (*found)[1].str() + (*found)[2].str();
        EXPECT_TRUE(names.contains(name)) << entry.path() << ": " << name;
        ++all;
      }
    }
  }
  EXPECT_GT(all, 40U);
}

TEST_F(DeclaredTables, EachThatIsThereSaysWhatItIsOf) {
  for (const ResultTable* table : tables_of(result_)) {
    EXPECT_FALSE(table->description.empty()) << table->name;
    for (const store::Column& column : table->schema) {
      EXPECT_FALSE(column.description.empty()) << table->name << " " << column.name;
    }
  }
}

}  // namespace
}  // namespace scalesweep::analysis
