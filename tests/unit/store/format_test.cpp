// FORMAT.md is what the files are, both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "store/merge/finish.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using scalesweep::test::TemporaryFolder;
using test::keep_all;
using testing::Contains;
using testing::HasSubstr;

class FormatDocument : public testing::Test {
 protected:
  void SetUp() override {
    if (test::run_command("/usr/bin/python3 -c 'import h5py'").exit != 0) {
      GTEST_SKIP() << "h5py is not installed (package python3-h5py)";
    }
    study.histograms = {{"step_time", "s", "step time", "Of all ids.", {1.0, 1.5}}};
    study.outcomes = {{{"memory", {"memory"}}, {"questions", {}}},
                      {"", "step_time", "", ""},
                      "combinations of memory, tensor_parallel: 8, more than 7"};
    prepare_output(folder / "a.h5", study);
    segment = write_segment(folder / "a.h5", study, {0, 300},
                            test::sample_rows(study, {0, 300}, keep_all), zero_counts(study),
                            Durability::synced, Outcomes{{1, 300, 1.5}, {9, 300, 1.5}})
                  .path;
  }

  static test::CommandResult check(const std::string& document, const std::string& section,
                                   const std::string& file) {
    return test::run_command("/usr/bin/python3 " CHECK_FORMAT_SCRIPT " " + document + " '" +
                             section + "' " + file + " --every");
  }

  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(300, 64);
  std::filesystem::path segment;
};

TEST_F(FormatDocument, DescribesTheFinishedFile) {
  finish(folder / "a.h5", study, std::nullopt);
  const auto result = check(FORMAT_DOCUMENT, "## Finished file", folder / "a.h5");
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("objects are as documented"));
}

TEST_F(FormatDocument, DescribesAFileBySegments) {
  FinishOptions options;
  options.layout = Layout::by_segment;
  finish(folder / "a.h5", study, std::nullopt, options);
  const auto result = check(FORMAT_DOCUMENT, "## Finished file", folder / "a.h5");
  EXPECT_EQ(result.exit, 0) << result.output;
}

TEST_F(FormatDocument, NamesWhatIsInTheFolderOfARun) {
  const std::string text = test::file_bytes(FORMAT_DOCUMENT);
  for (const std::string& name : test::folder_names(folder / "a.h5.d")) {
    const bool is_segment = name == segment.filename();
    EXPECT_THAT(text, HasSubstr("| `" + (is_segment ? "FIRST-LAST.h5" : name) + "` |"));
  }
  FinishOptions options;
  options.stop_requested = [] { return true; };
  finish(folder / "a.h5", study, std::nullopt, options);
  EXPECT_THAT(test::folder_names(folder / "a.h5.d"), Contains("merge.journal"));
  EXPECT_THAT(text, HasSubstr("| `merge.journal` |"));
}

TEST_F(FormatDocument, DescribesASegment) {
  const auto result = check(FORMAT_DOCUMENT, "A segment:", segment);
  EXPECT_EQ(result.exit, 0) << result.output;
}

TEST_F(FormatDocument, DescribesTheDescriptionOfARun) {
  std::set<std::string> documented;
  const std::string text = test::file_bytes(FORMAT_DOCUMENT);
  std::istringstream lines(text.substr(text.find("`study.json`:")));
  const std::regex row("\\| `(\\w+)` \\| (\\w+) \\| always \\|.*");
  std::smatch cells;
  const auto written = nlohmann::json::parse(test::file_bytes(folder / "a.h5.d" / "study.json"));
  for (std::string line; std::getline(lines, line) && line != "A segment:";) {
    if (std::regex_match(line, cells, row)) {
      documented.insert(cells[1]);
      ASSERT_TRUE(written.contains(cells[1].str())) << cells[1];
      EXPECT_THAT(std::string(written.at(cells[1].str()).type_name()), cells[2].str());
    }
  }
  EXPECT_EQ(documented.size(), written.size());
}

TEST_F(FormatDocument, ItsExampleRuns) {
  if (test::run_command("/usr/bin/python3 -c 'import pandas'").exit != 0) {
    GTEST_SKIP() << "pandas is not installed (package python3-pandas)";
  }
  finish(folder / "a.h5", study, std::nullopt);
  const std::string text = test::file_bytes(FORMAT_DOCUMENT);
  const std::size_t first = text.find("```python\n") + 10;
  std::string script = text.substr(first, text.find("```", first) - first);
  const std::string name = "NAME.h5";
  script.replace(script.find(name), name.size(), folder / "a.h5");
  test::write_bytes(folder / "read.py", script + "print(table.shape, *table.columns[:2])\n");
  const auto result = test::run_command("/usr/bin/python3 " + (folder / "read.py").string());
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_EQ(result.output, "(300, 8) point_id status\n");
}

TEST_F(FormatDocument, StatesTheVersionOfTheCode) {
  EXPECT_THAT(test::file_bytes(FORMAT_DOCUMENT),
              HasSubstr("# The study file, format version " + std::to_string(format_version)));
}

// The check itself sees what is wrong.
TEST_F(FormatDocument, AWrongDocumentIsFound) {
  finish(folder / "a.h5", study, std::nullopt);
  const std::string text = test::file_bytes(FORMAT_DOCUMENT);
  const auto result_with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    test::write_bytes(folder / "FORMAT.md", changed);
    return check(folder / "FORMAT.md", "## Finished file", folder / "a.h5");
  };
  EXPECT_THAT(result_with("| `/@rows` | i64 |", "| `/@rows` | text |").output,
              HasSubstr("/@rows is i64, but documented as text"));
  EXPECT_THAT(result_with("| `/@rows` |", "| `/@lines` |").output,
              AllOf(HasSubstr("/@rows (i64) is in the file, but not in the document"),
                    HasSubstr("/@lines is in the document, but not in the file")));
}

}  // namespace
}  // namespace scalesweep::store
