// Studies that format version 2 wrote, with every command: read as if this version had written
// them. What was expected of them then stands here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli_fixture.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class VersionsTest : public CliTest {
 protected:
  // version-2-service: the best of two models, an overlay, a trace, a load curve, axes together,
  // bounded counts. version-2-video: the best of each batch, with a requirement.
  std::string old(const std::string& name) const {
    const std::string file = path(name + ".h5");
    const std::string packed = std::string(VERSIONS_FOLDER) + "/version-2-" + name + ".h5.gz";
    EXPECT_EQ(std::system(("gzip -dc " + packed + " > " + file).c_str()), 0);
    return file;
  }
  Said good(const std::vector<std::string>& words) const {
    const Said said = scalesweep(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return said;
  }
};

TEST_F(VersionsTest, TwoIsQueriedByNamesOfThenAndOfNow) {
  const std::string video = old("video");
  const std::string rows =
      "point_id,images_per_second,cost_per_million_images\n"
      "0,0.0023647528,184518.08\n";
  EXPECT_THAT(good({"query", video, "--select",
                    "point_id,images_per_second,cost_per_million_images", "--format", "csv"})
                  .out,
              testing::StartsWith(rows));
  EXPECT_THAT(good({"query", video, "--select",
                    "point_id,pictures_per_second,cost_per_million_pictures", "--format", "csv"})
                  .out,
              testing::StartsWith(rows));
  for (const char* name : {"cost_per_million_images", "cost_per_million_pictures"}) {
    const Said best = good({"query", video, "--where", std::string(name) + " < 184400", "--best",
                            name, "--select", "point_id", "--format", "csv"});
    EXPECT_EQ(best.out, "point_id\n13\n");
    EXPECT_THAT(good({"query", video, "--frontier", "--minimize", name, "--select",
                      "point_id,cost_per_million_images", "--format", "csv"})
                    .out,
                HasSubstr("13,184273.61\n"));
  }
  EXPECT_THAT(good({"query", video, "--columns"}).out,
              AllOf(HasSubstr("images_per_second"), Not(HasSubstr("picture"))));
}

TEST_F(VersionsTest, TwoIsAnalyzed) {
  const Said video = good({"analyze", old("video"), "--no-figures", "-o", path("video")});
  EXPECT_THAT(video.out, AllOf(HasSubstr("33.88 images/h"), HasSubstr("USD per image"),
                               HasSubstr("misses cheap"), Not(HasSubstr("picture"))));
  EXPECT_THAT(video.out, HasSubstr("the best by batch_time of each batch,"));
  const Said service = good({"analyze", old("service"), "--no-figures", "-o", path("service")});
  EXPECT_THAT(service.out, AllOf(HasSubstr("(feasible 8, pruned 12)"),
                                 HasSubstr("the least cost per million output tokens, 2 questions"),
                                 HasSubstr("along the model and precision")));
  // Of a precision only the best of its model is there.
  const Said plane = scalesweep({"analyze", path("service.h5"), "--phase", "model,precision"});
  EXPECT_EQ(plane.code, 65);
  EXPECT_THAT(plane.err,
              HasSubstr("a phase diagram over 'precision': the axis has one value, is searched, or "
                        "the file keeps the best of its values alone; those that vary are model"));
}

// Out of the texts that it holds, sentences among them: its spec asks by a former name.
TEST_F(VersionsTest, TwoIsExplained) {
  const std::string service = old("service");
  const Said explained = scalesweep({"explain", service, "--point", "0"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, AllOf(HasSubstr("meets_limits"), HasSubstr("arrivals")));
  EXPECT_THAT(explained.err, HasSubstr("was computed by another version of the estimator"));
  const Said video = scalesweep({"explain", old("video"), "--point", "13"});
  EXPECT_EQ(video.code, 0) << video.err;
  EXPECT_THAT(video.out, HasSubstr("images_per_second"));
}

TEST_F(VersionsTest, TwoIsJoinedWithOthers) {
  const std::string one = old("service");
  const std::string other = path("other.h5");
  std::filesystem::copy(one, other);
  EXPECT_THAT(good({"status", one}).out, HasSubstr("pruned      12"));
  good({"merge", "--union", one, other, "-o", path("all.h5"), "--no-sync"});
  const store::StudyReader all(path("all.h5"));
  EXPECT_EQ(all.root_attribute("keep"), R"({"policy":"best","k":2,"per":["study","model"]})");
  EXPECT_EQ(all.root_attribute("together"), R"([["model","precision"]])");
  EXPECT_EQ(all.provenance().at("study_1_keep"),
            R"({"policy":"best","k":2,"per":["model"],"counts":"bounded"})");
  EXPECT_EQ(all.counts().at("pruned"), 24);
  EXPECT_EQ(scalesweep({"explain", path("all.h5"), "--point", "20"}).code, 0);
}

TEST_F(VersionsTest, TwoIsPublishedAsTheNewest) {
  for (const char* name : {"video", "service"}) {
    const std::string study = old(name);
    const std::string data = path(std::string(name) + "-data");
    const std::string about = write("about.toml",
                                    "[dataset]\nlicense = \"CC0-1.0\"\n[[dataset.creators]]\nname "
                                    "= \"Lovelace, Ada\"\n");
    good({"publish", study, "-o", data, "--no-figures", "--dataset", about});
    good({"verify", data});
    const std::string copy = data + "/" + name + ".h5";
    EXPECT_THAT(good({"diff", study, copy}).out, HasSubstr("the studies are the same"));
    EXPECT_EQ(store::StudyReader(copy).root_attribute("keep"),
              store::StudyReader(study).root_attribute("keep"));
  }
}

TEST_F(VersionsTest, AResumeOfTwoSaysWhoGoesOn) {
  const std::string small = spec();
  good({"run", small, "-o", path("a.h5"), "--quiet", "--shard", "1/2"});
  const std::string description = path("a.h5.d/study.json");
  write("a.h5.d/study.json",
        replaced(content(description), "\"format_version\": 3", "\"format_version\": 2"));
  const Said said = scalesweep({"run", small, "-o", path("a.h5"), "--quiet"});
  EXPECT_EQ(said.code, 73);
  EXPECT_THAT(said.err,
              HasSubstr("a.h5: is another study: it is in format version 2, this program writes "
                        "version 3: the scalesweep that began it goes on with it, and 'scalesweep "
                        "merge' makes the file where all of it is computed; choose another -o"));
}

}  // namespace
}  // namespace scalesweep::test
