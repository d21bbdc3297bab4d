// Runs all files of cases below this folder, each case a test of its own. With
// SCALESWEEP_UPDATE_GOLDEN=1 it writes what is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>

#include "support/temporary_folder.hpp"
#include "text_case.hpp"

namespace scalesweep::cases {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> case_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".test") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class OneCase : public testing::Test {
 public:
  OneCase(std::shared_ptr<const CaseFile> file, std::size_t index)
      : file_(std::move(file)), index_(index) {}

  void TestBody() override {
    const TextCase& one = file_->cases[index_];
    const Seen seen = run_case(*file_, one);
    EXPECT_THAT(seen.said, testing::ElementsAreArray(one.said)) << place();
    EXPECT_EQ(seen.code, one.code) << place();
  }

 private:
  std::string place() const {
    return file_->path.string() + ":" + std::to_string(file_->cases[index_].first_line + 1) +
           ": with SCALESWEEP_UPDATE_GOLDEN=1 what is seen is written there";
  }

  std::shared_ptr<const CaseFile> file_;
  std::size_t index_;
};

void register_cases(const CaseFile& file, const fs::path& folder) {
  const auto shared = std::make_shared<const CaseFile>(file);
  const std::string suite = fs::relative(file.path, folder).replace_extension().string();
  for (std::size_t i = 0; i < shared->cases.size(); ++i) {
    testing::RegisterTest(suite.c_str(), shared->cases[i].title.c_str(), nullptr, nullptr, __FILE__,
                          __LINE__,
                          [shared, i]() -> testing::Test* { return new OneCase(shared, i); });
  }
}

void write_seen(const CaseFile& file) {
  std::vector<Seen> seen;
  for (const TextCase& one : file.cases) {
    seen.push_back(run_case(file, one));
  }
  std::ofstream(file.path, std::ios::binary) << with_seen(file, seen);
}

// A small file of cases, for what the runner itself does.
class Runner : public testing::Test {
 protected:
  CaseFile cases(const std::string& text) const {
    std::ofstream(folder_ / "own.test") << text;
    return read_cases(folder_ / "own.test");
  }
  std::string problem(const std::string& text) const {
    try {
      (void)cases(text);
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      return what.substr(what.find("own.test"));
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Runner, WritesWhatIsSeen) {
  const CaseFile file =
      cases("# Words\n$ version --nothing\n\n== One\n\n== Two\n$ rnu\n> else\n? 1\n\n# Behind\n");
  ASSERT_EQ(file.cases.size(), 2U);
  std::vector<Seen> seen;
  for (const TextCase& one : file.cases) {
    seen.push_back(run_case(file, one));
  }
  EXPECT_EQ(seen[1].code, 64);
  const std::string text = with_seen(file, {{{"a", ""}, 3}, {{"b"}, 0}});
  EXPECT_EQ(text,
            "# Words\n$ version --nothing\n\n== One\n> a\n>\n? 3\n\n== Two\n$ rnu\n> b\n\n"
            "# Behind\n");
  const CaseFile again = cases(text);
  EXPECT_THAT(again.cases[0].said, testing::ElementsAre("a", ""));
  EXPECT_EQ(again.cases[0].code, 3);
  EXPECT_THAT(again.cases[1].said, testing::ElementsAre("b"));
}

TEST_F(Runner, ChangesFilesInOrder) {
  const CaseFile file = cases(
      "== One\n@ a.toml\n+ one\n+ two\n- two\n+ 2\n+ 3\n@ b.toml\n+ other\n$ check {}/a.toml\n");
  const std::vector<Edit>& edits = file.cases[0].edits;
  ASSERT_EQ(edits.size(), 3U);
  EXPECT_EQ(edits[0].to, "one\ntwo\n");
  EXPECT_EQ(edits[1].from, "two");
  EXPECT_EQ(edits[1].to, "2\n3");
  EXPECT_EQ(edits[2].file, "b.toml");
  EXPECT_EQ(edits[2].to, "other\n");
}

TEST_F(Runner, MistakesSayWhere) {
  EXPECT_THAT(problem("# Words\n"), testing::HasSubstr("no case: a line '== TITLE' begins one"));
  EXPECT_THAT(problem("words\n== One\n"), testing::HasSubstr("own.test:1: before the first case"));
  EXPECT_THAT(problem("== One\nwords\n"),
              testing::HasSubstr("own.test:2: a line of a case begins with -, +, @, $, > or ?"));
  const CaseFile file = cases("== One\n@ a.toml\n- nothing\n+ more\n$ check {}/a.toml\n");
  EXPECT_THAT(
      [&] { (void)run_case(file, file.cases[0]); },
      testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("a.toml has no 'nothing'")));
}

}  // namespace
}  // namespace scalesweep::cases

int main(int argc, char** argv) {
  namespace cases = scalesweep::cases;
  testing::InitGoogleTest(&argc, argv);
  const char* const root = std::getenv("SCALESWEEP_SOURCE_DIR");
  if (root == nullptr) {
    return 2;
  }
  const std::filesystem::path folder = std::filesystem::path(root) / "tests" / "cases";
  const bool updates = std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr;
  for (const std::filesystem::path& path : cases::case_files(folder)) {
    const cases::CaseFile file = cases::read_cases(path);
    updates ? cases::write_seen(file) : cases::register_cases(file, folder);
  }
  return RUN_ALL_TESTS();
}
