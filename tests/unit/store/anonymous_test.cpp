// Texts without machines and folders, and studies that are copied with other texts.
#include "store/texts/anonymous.hpp"

#include <gmock/gmock.h>

#include "core/host/files.hpp"
#include "store/merge/finish.hpp"
#include "store/merge/write_study.hpp"
#include "store/read/reader.hpp"
#include "store/seal/verify.hpp"
#include "store/segments/output.hpp"
#include "support/failure_of.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using scalesweep::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Anonymous, CommandLinesHaveNoFolders) {
  EXPECT_EQ(without_folders("scalesweep run /home/ada/a.toml -o ../out/a.h5 --keep best=1:logic"),
            "scalesweep run a.toml -o a.h5 --keep best=1:logic");
  EXPECT_EQ(without_folders("2026-01-31T12:00:00Z ./scalesweep run 'my folder/a b.toml'"),
            "2026-01-31T12:00:00Z scalesweep run 'a b.toml'");
  EXPECT_EQ(without_folders("run --catalog=/opt/nodes/ --where 'a / b'"),
            "run --catalog=nodes --where 'a / b'");
  EXPECT_EQ(without_folders(""), "");
  EXPECT_EQ(without_folders("a / b"), "a / b");
}

TEST(Anonymous, TextsHaveNoAbsolutePaths) {
  EXPECT_EQ(without_absolute_paths("requests = \"/home/ada b/trace.csv\""),
            "requests = \"trace.csv\"");
  EXPECT_EQ(without_absolute_paths("# see ~/notes/a.txt, (/tmp/x/b) and https://a.org/b/c"),
            "# see a.txt, (b) and https://a.org/b/c");
  for (const char* same :
       {"price = \"3 USD/GB\"", "# 4 / 2", "a = \"traces/b.csv\"", "// x", "/s"}) {
    EXPECT_EQ(without_absolute_paths(same), same);
  }
}

TEST(Anonymous, LeavesOutMachinesAlsoOfPartsOfAUnion) {
  const StudyTexts texts = {{{"host", "n17"},
                             {"environment", "USER=ada"},
                             {"slurm_job", "1"},
                             {"command", "scalesweep run /a/b.toml"},
                             {"spec_file", "/a/b.toml"},
                             {"requests", R"({"file":"/a/c.csv","requests":7})"},
                             {"study_2_requests", "/a/d.csv, SHA-256 0\n7 requests"},
                             {"ranks", "2"},
                             {"study_2_host", "n18"},
                             {"study_2_spec_file", "d/e.toml"}},
                            {{"title", "On n17"}, {"history", "now scalesweep run /a/b.toml"}}};
  const StudyTexts expected = {{{"command", "scalesweep run b.toml"},
                                {"spec_file", "b.toml"},
                                {"requests", R"({"file":"c.csv","requests":7})"},
                                {"study_2_requests", "d.csv, SHA-256 0\n7 requests"},
                                {"ranks", "2"},
                                {"study_2_spec_file", "e.toml"}},
                               {{"title", "On n17"}, {"history", "now scalesweep run b.toml"}}};
  EXPECT_EQ(anonymous(texts), expected);
  EXPECT_EQ(anonymous(expected), expected);
  EXPECT_THAT(places_of("n17", expected), ElementsAre("/@title"));
  EXPECT_TRUE(places_of("n1", expected).empty());
  EXPECT_TRUE(places_of("", expected).empty());
}

class CopiedStudy : public testing::Test {
 protected:
  void SetUp() override {
    study.root_attributes["created"] = "2020-01-01T00:00:00Z";
    study.histograms = {{"step_time", "s", "step time", "Of all ids.", {1.0, 1.5}}};
    study.outcomes = {{{"memory", {"memory"}}, {"questions", {}}}, {"", "step_time", "", ""}, ""};
    prepare_output(folder / "a.h5", study);
    write_segment(folder / "a.h5", study, {0, 300},
                  test::sample_rows(study, {0, 300}, test::keep_all), zero_counts(study),
                  Durability::synced, Outcomes{{1, 300, 1.5}, {9, 300, 1.5}});
    finish(folder / "a.h5", study, std::nullopt);
  }

  const TemporaryFolder folder;
  StudyDescription study = test::sample_study(300, 64);
};

// Nothing of a study is lost: with its own texts it is the same file.
TEST_F(CopiedStudy, IsTheSameFileWithTheSameTexts) {
  const StudyReader reader(folder / "a.h5");
  copy_study(folder / "a.h5", folder / "b.h5", {reader.provenance(), reader.root_attributes()});
  EXPECT_EQ(read_file(folder / "b.h5"), read_file(folder / "a.h5"));
}

TEST_F(CopiedStudy, HasOtherTextsAndTheSameRows) {
  StudyTexts texts = {{{"spec", "c = 3\n"}}, {{"title", "Another"}}};
  copy_study(folder / "a.h5", folder / "b.h5", texts);
  const StudyReader one(folder / "a.h5");
  const StudyReader other(folder / "b.h5");
  EXPECT_EQ(other.provenance(), texts.provenance);
  EXPECT_EQ(other.root_attribute("title"), "Another");
  EXPECT_EQ(other.root_attribute("license"), "");
  EXPECT_EQ(other.root_attribute("date_created"), "2020-01-01T00:00:00Z");
  EXPECT_EQ(other.identity(), one.identity());
  EXPECT_EQ(other.counts(), one.counts());
  const auto values = [](const StudyReader& reader) {
    return reader.read({"step_time"}, 0, 300).values<double>(0);
  };
  EXPECT_EQ(values(other), values(one));
}

TEST_F(CopiedStudy, OfOneBySegmentsIsMerged) {
  prepare_output(folder / "v.h5", study);
  write_segment(folder / "v.h5", study, {0, 300},
                test::sample_rows(study, {0, 300}, test::keep_all), zero_counts(study),
                Durability::synced, Outcomes{{1, 300, 1.5}, {9, 300, 1.5}});
  FinishOptions options;
  options.layout = Layout::by_segment;
  finish(folder / "v.h5", study, std::nullopt, options);
  const StudyReader reader(folder / "a.h5");
  copy_study(folder / "v.h5", folder / "b.h5", {reader.provenance(), reader.root_attributes()});
  EXPECT_EQ(read_file(folder / "b.h5"), read_file(folder / "a.h5"));
}

TEST_F(CopiedStudy, OfADamagedOneIsRefusedAndLeavesNothing) {
  std::string bytes = read_file(folder / "a.h5");
  const std::size_t inside = 4096 + 40;  // of the first chunk
  bytes[inside] = static_cast<char>(bytes[inside] ^ 1);
  write_file_durably(folder / "d.h5", bytes);
  const auto failure =
      scalesweep::test::failure_of([&] { copy_study(folder / "d.h5", folder / "b.h5", {}); });
  EXPECT_EQ(failure.code(), ExitCode::io);
  EXPECT_THAT(std::string(failure.what()), HasSubstr("its checksum does not hold"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.h5"));
  const auto checked = scalesweep::test::failure_of([&] { check_values(folder / "d.h5"); });
  EXPECT_THAT(std::string(checked.what()), HasSubstr("its checksum does not hold"));
  EXPECT_NO_THROW(check_values(folder / "a.h5"));
}

}  // namespace
}  // namespace scalesweep::store
