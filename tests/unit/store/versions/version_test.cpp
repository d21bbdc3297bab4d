// Files that older versions wrote are read as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "store/hdf5/hdf5.hpp"
#include "store/merge/finish.hpp"
#include "store/merge/write_study.hpp"
#include "store/read/column_blocks.hpp"
#include "store/read/progress.hpp"
#include "store/read/reader.hpp"
#include "store/seal/open.hpp"
#include "store/segments/output.hpp"
#include "store/versions/former_names.hpp"
#include "store/versions/former_texts.hpp"
#include "support/temporary_folder.hpp"
#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

std::int64_t version_of(const std::filesystem::path& file) {
  return h5::read_int_attribute(open_checked(file).get(), "format_version");
}

class OldVersion : public testing::Test {
 protected:
  void SetUp() override { unpacked("version-1"); }
  std::filesystem::path unpacked(const std::string& name) const {
    const std::string packed = std::string(VERSIONS_FOLDER) + "/" + name + ".h5.gz";
    const std::filesystem::path path = folder / (name + ".h5");
    EXPECT_EQ(test::run_command("gzip -dc " + packed + " > " + path.string()).exit, 0);
    return path;
  }
  std::filesystem::path file() const { return folder / "version-1.h5"; }

  const scalesweep::test::TemporaryFolder folder;
};

// It has places where newer ones have numbers: tables have places of both.
TEST_F(OldVersion, OneIsReadAsItIs) {
  const StudyReader reader(file());
  EXPECT_EQ(reader.root_attribute("title"), "A study in format version 1");
  EXPECT_EQ(reader.rows(), 4);
  EXPECT_EQ(reader.points(), 1032);
  const Table table = reader.read({"sequence", "device", "tensor_parallel", "step_time"}, 0, 4);
  EXPECT_THAT(table.values<std::uint8_t>(0), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(table.values<std::uint8_t>(1), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(table.values<std::int32_t>(2), ElementsAre(1, 1, 1, 1));
  EXPECT_NEAR(table.values<double>(3)[0], 1.725, 5e-4);
  EXPECT_EQ(reader.axes()[1].name, "sequence");
  EXPECT_THAT(reader.axes()[1].values, ElementsAre(2048.0, 4096.0));
  for (const Column& column : reader.schema()) {
    EXPECT_EQ(column.numbers, nullptr) << column.name;
  }
}

// A copy holds the numbers, and says so.
TEST_F(OldVersion, OneIsCopiedAsTheNewest) {
  copy_study(file(), folder / "new.h5", {});
  EXPECT_EQ(version_of(file()), 1);
  EXPECT_EQ(version_of(folder / "new.h5"), format_version);
  const StudyReader copy(folder / "new.h5");
  const Table table = copy.read({"sequence"}, 0, 4);
  EXPECT_THAT(table.values<std::uint8_t>(0), ElementsAre(0, 0, 1, 1));
  const auto column = std::find_if(copy.schema().begin(), copy.schema().end(),
                                   [](const Column& one) { return one.name == "sequence"; });
  EXPECT_NE(column->numbers, nullptr);
}

// What it says in sentences is JSON to a reader, and columns and statuses have the names of now.
TEST_F(OldVersion, TwoIsReadWithTheNamesOfNow) {
  const StudyReader reader(unpacked("version-2-video"));
  EXPECT_EQ(reader.root_attribute("keep"),
            R"({"policy":"best","k":1,"per":["batch","accelerators"]})");
  EXPECT_EQ(reader.root_attribute("objectives"),
            R"([{"minimize":"batch_time"},{"minimize":"cost_per_million_images"}])");
  const Table table = reader.read({"point_id", "images_per_second"}, 0, 2);
  EXPECT_NEAR(table.number(1, 1), 0.0047049816, 1e-9);
  EXPECT_EQ(reader.read({"pictures_per_second"}, 1, 2).number(0, 0), table.number(1, 1));
  const ColumnBlocks blocks = reader.blocks({"cost_per_million_images"});
  EXPECT_EQ(blocks.schema()[0].long_name, "cost per million images");
  EXPECT_NEAR(blocks.read(0).number(0, 0), 184518.08, 0.01);
  std::vector<std::string> names;
  for (const Column& column : reader.schema()) {
    names.push_back(column.name);
  }
  for (const Renamed& row : renamed_columns) {
    EXPECT_THAT(names, Contains(row.name));
    EXPECT_THAT(names, Not(Contains(row.former)));
  }

  const std::filesystem::path file = unpacked("version-2-service");
  const StudyReader service(file);
  EXPECT_EQ(service.root_attribute("together"), R"([["model","precision"]])");
  EXPECT_EQ(service.counts().at("pruned"), 12);
  EXPECT_EQ(service.counts().count("serves_less"), 0U);
  EXPECT_EQ(read_progress(file).count_names.back(), "pruned");
  EXPECT_THAT(service.provenance().at("requests"),
              StartsWith(R"({"file":"day.csv","sha256":"441911fe)"));
  EXPECT_THAT(service.provenance().at("load_curve"), StartsWith(R"({"loads":[0.5,0.25,)"));
  EXPECT_THAT(service.provenance().at("overlays"),
              StartsWith(R"([{"entry":"models mine","file":"own.toml","sha256":"fb946f78)"));
}

TEST_F(OldVersion, TwoIsCopiedAsTheNewest) {
  for (const char* name : {"version-2-video", "version-2-service"}) {
    const std::filesystem::path old = unpacked(name);
    const std::filesystem::path copied = folder / (std::string(name) + "-copy.h5");
    const StudyReader before(old);
    copy_study(old, copied, {before.provenance(), before.root_attributes()});
    EXPECT_EQ(version_of(copied), format_version);
    const StudyReader copy(copied);
    EXPECT_EQ(copy.root_attribute("keep"), before.root_attribute("keep"));
    EXPECT_EQ(copy.provenance(), before.provenance());
    EXPECT_EQ(copy.counts(), before.counts());
    ASSERT_EQ(copy.schema().size(), before.schema().size());
    for (const Column& column : copy.schema()) {
      const Table one = before.read({column.name}, 0, before.rows());
      const Table other = copy.read({column.name}, 0, copy.rows());
      for (std::size_t row = 0; row < one.rows(); ++row) {
        EXPECT_TRUE(one.number(0, row) == other.number(0, row) || std::isnan(one.number(0, row)))
            << column.name;
      }
    }
  }
}

// As the writer of version 2 had it.
TEST(FormerTexts, AreJson) {
  std::map<std::string, std::string> texts = {
      {"keep", "best 3 per logic, memory; counts bounded"},
      {"study_2_keep", "several rules"},
      {"objectives", "step_time, -tokens_per_second"},
      {"search", "die_area, power; tolerance 0.001; devices 400; method model"},
      {"study_1_search", "die_area; transitions; first values 9"},
      {"together", "sequence, global_batch; device, precision"},
      {"requests",
       "a, SHA-256 b.csv, SHA-256 0123\n7 requests, 0.5 Hz; burstiness 1.25, of the times between "
       "arrivals; of the numbers of arrivals, 32 in the mean, not known\n"
       "requests: prompt 1000, output 10.5, share 2\nreuse: a cache of 1e+06 tokens finds 0.25\n"},
      {"load_curve", "1, 0.5; 2.5 Hz in the fullest hour of the trace"},
      {"overlays", "devices a: b.toml, SHA-256 01\nmodels c: d.toml, SHA-256 23"},
      {"title", "all"}};
  use_present_texts(texts);
  const std::map<std::string, std::string> expected = {
      {"keep", R"({"policy":"best","k":3,"per":["logic","memory"],"counts":"bounded"})"},
      {"study_2_keep", R"({"policy":"several"})"},
      {"objectives", R"([{"minimize":"step_time"},{"maximize":"tokens_per_second"}])"},
      {"search", R"({"axes":["die_area","power"],"find":"best","method":"model","tolerance":0.001,)"
                 R"("devices":400})"},
      {"study_1_search", R"({"axes":["die_area"],"find":"transitions","first_values":9})"},
      {"together", R"([["sequence","global_batch"],["device","precision"]])"},
      {"requests",
       R"({"file":"a, SHA-256 b.csv","sha256":"0123","requests":7,"arrival_rate":0.5,)"
       R"("burstiness":1.25,"dispersion":null,"classes":[{"prompt":1000.0,"output":10.5,)"
       R"("share":2.0}],"reuse":[{"tokens":1000000.0,"share":0.25}]})"},
      {"load_curve", R"({"loads":[1.0,0.5],"busiest_rate":2.5})"},
      {"overlays", R"([{"entry":"devices a","file":"b.toml","sha256":"01"},)"
                   R"({"entry":"models c","file":"d.toml","sha256":"23"}])"},
      {"title", "all"}};
  EXPECT_EQ(texts, expected);
}

TEST(FormerTexts, ThatCannotBeUnderstoodStayAsTheyAre) {
  const std::map<std::string, std::string> texts = {{"keep", "every second one"},
                                                    {"requests", "a.csv\n7 requests\nmore"}};
  std::map<std::string, std::string> now = texts;
  use_present_texts(now);
  EXPECT_EQ(now, texts);
}

// Its segments have the names of then: so has the file that they are merged to.
TEST_F(OldVersion, TwoThatIsMergedNowStaysTwo) {
  StudyDescription study = test::sample_study(200, 64);
  study.schema[1].labels[2] = study.count_names[2] = "not_asked";
  study.schema[4].name = "energy_per_picture";
  study.root_attributes["keep"] = "all";
  study.version = 2;
  const std::filesystem::path output = folder / "a.h5";
  prepare_output(output, study);
  test::write_sample(output, study, {0, 200}, test::keep_all);
  const auto expect_present_names = [&](const StudyReader& reader) {
    EXPECT_EQ(reader.rows(), 200);
    EXPECT_EQ(reader.root_attribute("keep"), R"({"policy":"all"})");
    EXPECT_EQ(reader.counts().count("pruned"), 1U);
    EXPECT_THAT(reader.schema()[1].labels, ElementsAre("ok", "memory", "pruned"));
    EXPECT_EQ(reader.read({"energy_per_image"}, 0, 200).rows(), 200U);
    EXPECT_EQ(reader.blocks({"energy_per_image"}).read(0).number(0, 0),
              reader.read({"energy_per_image"}, 0, 1).number(0, 0));
  };
  expect_present_names(StudyReader(output, Unfinished::read));
  finish(output, read_description(output), std::nullopt);
  EXPECT_EQ(version_of(output), 2);
  EXPECT_EQ(h5::read_text_attribute(open_checked(output).get(), "keep"), "all");
  expect_present_names(StudyReader(output));
}

// Its segments hold places: so does the file that they are merged to, and says that it does.
TEST_F(OldVersion, OneThatIsMergedNowStaysOne) {
  StudyDescription study = test::sample_study(200, 64);
  for (Column& column : study.schema) {
    column.numbers = nullptr;
  }
  study.version = 1;
  const std::filesystem::path output = folder / "a.h5";
  prepare_output(output, study);
  test::write_sample(output, study, {0, 200}, test::keep_all);
  finish(output, read_description(output), std::nullopt);
  EXPECT_EQ(version_of(output), 1);
  EXPECT_EQ(StudyReader(output).rows(), 200);
}

}  // namespace
}  // namespace scalesweep::store
