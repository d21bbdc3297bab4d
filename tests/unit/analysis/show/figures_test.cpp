#include "analysis/show/figures.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "analysis/findings/analyze.hpp"
#include "analysis/show/result_files.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

// The tables of a study in a folder of their own.
OutputFiles tables_for(const testing::TestStudy& study, const TemporaryFolder& folder) {
  const fs::path file = folder.path() / "toy.h5";
  study.write(file);
  return write_analysis(analyze(file, {}), folder.path() / "out");
}

FigureReport drawn(const OutputFiles& files, std::size_t processes = 0,
                   const std::vector<std::string>& names = {}) {
  return draw_figures(files.tables, files.folder, "/nowhere/bin/scalesweep", processes, names);
}

std::map<std::string, std::string> contents_of(const std::vector<fs::path>& files) {
  std::map<std::string, std::string> contents;
  for (const fs::path& file : files) {
    contents[file.filename().string()] = read_file(file);
  }
  return contents;
}

TEST(Figures, AreDrawnAndTheSameOnAnyNumberOfProcesses) {
  const TemporaryFolder folder;
  const OutputFiles files = tables_for(testing::scaling_study(2, 2, 2), folder);

  const FigureReport first = drawn(files, 1, {"all"});
  ASSERT_EQ(first.problem, "");
  const auto contents = contents_of(first.files);
  const FigureReport second = drawn(files, 3, {"all"});

  const std::vector<std::string> figures = {"verdict",     "frontier",  "shares",
                                            "moves",       "step-time", "phases",
                                            "sensitivity", "effects",   "bottlenecks"};
  ASSERT_EQ(first.files.size(), 3 * figures.size());
  for (const std::string& figure : figures) {
    const std::string name = "toy." + figure;
    ASSERT_EQ(contents.count(name + ".png"), 1u);
    EXPECT_THAT(contents.at(name + ".png").substr(1, 3), "PNG");
    EXPECT_THAT(contents.at(name + ".svg"), HasSubstr("<svg"));
    EXPECT_THAT(contents.at(name + ".pdf").substr(0, 4), "%PDF");
  }
  EXPECT_EQ(first.files, second.files);
  EXPECT_EQ(contents, contents_of(second.files));
}

// "toy.shares" of each file, once.
std::vector<std::string> stems_of(const FigureReport& report) {
  std::vector<std::string> stems;
  for (const fs::path& file : report.files) {
    if (stems.empty() || stems.back() != file.stem().string()) {
      stems.push_back(file.stem().string());
    }
  }
  return stems;
}

TEST(Figures, AreFewUnlessTheyAreNamed) {
  const TemporaryFolder folder;
  const OutputFiles files = tables_for(testing::scaling_study(2, 2, 2), folder);

  EXPECT_THAT(stems_of(drawn(files)),
              ElementsAre("toy.verdict", "toy.frontier", "toy.shares", "toy.moves"));
  EXPECT_THAT(stems_of(drawn(files, 0, {"effects", "shares"})),
              ElementsAre("toy.shares", "toy.effects"));
  EXPECT_FALSE(fs::exists(files.folder / "toy.verdict.png"));
}

TEST(Figures, OfTheScriptTheProgramAndTheReadmeAreTheSame) {
  const TemporaryFolder folder;
  const fs::path listed = folder.path() / "listed";
  const std::string command =
      fmt::format("{} -B '{}/figures.py' --list > '{}'", default_pythons.front(), ANALYSIS_FOLDER,
                  listed.string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::string expected;
  for (const FigureName& figure : figure_names) {
    expected += fmt::format("{}\t{}\n", figure.name, figure.is_default ? "default" : "by name");
  }
  std::string found;
  std::ifstream lines(listed);
  std::string readme = read_file(fs::path(ANALYSIS_FOLDER).parent_path() / "README.md");
  readme = readme.substr(readme.find("## Figures"));
  readme = readme.substr(0, readme.find("## Asking for rows"));
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> parts = split(line, '\t');
    ASSERT_EQ(parts.size(), 3u) << line;
    found += parts[0] + "\t" + parts[1] + "\n";
    EXPECT_THAT(readme, HasSubstr(fmt::format("`{}`", parts[0])));
  }
  EXPECT_EQ(found, expected);
}

TEST(Figures, WithoutANameThatIsOneThereIsNone) {
  check_figures({});
  check_figures({"phases", "all"});
  try {
    check_figures({"shares", "phase"});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::usage);
    EXPECT_STREQ(failure.what(),
                 "--figures: there is no figure 'phase'; known are verdict, frontier, shares, "
                 "moves, step-time, latency, time-per-output-token, bottlenecks, phases, "
                 "sensitivity, effects, all");
  }
}

TEST(Figures, DrawStudiesOfOneValueAndOfManyAxes) {
  for (const std::size_t memories : {1u, 4u}) {
    const TemporaryFolder folder;
    testing::TestStudy study = testing::scaling_study(memories, 1, 1);
    study.axes[1] = testing::values("accelerators", {512, 1024}, "");
    for (std::size_t id = 0; id < study.points.size(); ++id) {
      study.points[id].axes[1] = static_cast<std::int32_t>(id % 2);
    }

    const FigureReport report = drawn(tables_for(study, folder), 0, {"all"});

    EXPECT_EQ(report.problem, "");
    EXPECT_FALSE(report.files.empty());
  }
}

// As in a study of services, whose limits have long names, with as many panels as a page takes.
testing::TestStudy service_study() {
  testing::TestStudy study = testing::scaling_study(1, 1, 1);
  study.axes[1] = testing::names("time_per_output_token_limit", {"15 ms", "30 ms", "60 ms"});
  study.axes[3] = testing::names("time_to_first_token_limit", {"500 ms", "2 s"});
  const std::vector<testing::TestPoint> points = study.points;
  study.points.clear();
  for (int i = 0; i < 6; ++i) {
    for (testing::TestPoint point : points) {
      point.axes[1] = i % 3;
      point.axes[3] = i / 3;
      study.points.push_back(point);
    }
  }
  return study;
}

TEST(Figures, TextsStayWithinTheirFigureAndApart) {
  for (const testing::TestStudy& study : {service_study(), testing::scaling_study(2, 2, 1)}) {
    const TemporaryFolder folder;
    const OutputFiles files = tables_for(study, folder);
    const fs::path faults = folder.path() / "faults";
    const std::string command =
        fmt::format("{} '{}' '{}' '{}' > '{}' 2>&1", default_pythons.front(), FIGURES_TEXTS_SCRIPT,
                    ANALYSIS_FOLDER, files.tables.string(), faults.string());

    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(faults), "");
  }
}

TEST(Figures, NothingFeasibleIsSaid) {
  const TemporaryFolder folder;
  testing::TestStudy study = testing::scaling_study(1, 1, 1);
  for (testing::TestPoint& point : study.points) {
    point.status = 1;
  }

  const FigureReport report = drawn(tables_for(study, folder));

  EXPECT_EQ(report.problem, "");
  EXPECT_TRUE(report.files.empty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("no feasible point was found")));
}

TEST(Figures, FiguresOfAnEarlierRunGoAndOthersStay) {
  const TemporaryFolder folder;
  const OutputFiles files = tables_for(testing::scaling_study(1, 1, 1), folder);
  ASSERT_EQ(drawn(files).problem, "");
  const fs::path stale = files.folder / "toy.frontier-old.png";
  fs::copy_file(files.folder / "toy.frontier.png", stale);
  const fs::path foreign = files.folder / "toy.frontier-mine.png";
  std::ofstream(foreign) << "mine";

  ASSERT_EQ(drawn(files).problem, "");

  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(Figures, AFailureOfTheScriptIsToldInItsLastLine) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "toy.analysis.h5") << "not HDF5";

  const FigureReport report =
      draw_figures(folder.path() / "toy.analysis.h5", folder.path(), "/nowhere/bin/scalesweep");

  EXPECT_TRUE(report.files.empty());
  EXPECT_THAT(report.problem, HasSubstr("figures.py failed: "));
}

TEST(Figures, AFailureOfAnyProcessIsTold) {
  const TemporaryFolder folder;
  const OutputFiles files = tables_for(testing::scaling_study(2, 2, 2), folder);

  for (const std::size_t processes : {1u, 3u}) {
    const FigureReport report =
        draw_figures(files.tables, folder.path() / "gone", "/nowhere/bin/scalesweep", processes);

    EXPECT_TRUE(report.files.empty());
    EXPECT_THAT(report.problem, HasSubstr("figures.py failed: FileNotFoundError: "));
    EXPECT_THAT(report.problem, HasSubstr("/gone/toy.verdict.partial.png"));
  }
}

TEST(Figures, APythonWithoutTheModulesIsPassedOver) {
  const TemporaryFolder folder;
  const OutputFiles files = tables_for(testing::scaling_study(1, 1, 1), folder);
  const fs::path bare = folder.path() / "bare-python";
  std::ofstream(bare) << "#!/bin/sh\nexit 69\n";
  fs::permissions(bare, fs::perms::owner_all);

  const FigureReport without =
      draw_figures(files.tables, files.folder, "/nowhere/bin/scalesweep", 0, {}, {bare.string()});
  const FigureReport with = draw_figures(files.tables, files.folder, "/nowhere/bin/scalesweep", 0,
                                         {}, {bare.string(), default_pythons.front()});

  EXPECT_THAT(without.problem, HasSubstr("no python3 with numpy, h5py and matplotlib"));
  EXPECT_EQ(with.problem, "");
  EXPECT_FALSE(with.files.empty());
}

TEST(Figures, TheInstalledScriptComesFirst) {
  const TemporaryFolder folder;
  const fs::path share = folder.path() / "share/scalesweep/analysis";
  fs::create_directories(share);
  fs::create_directories(folder.path() / "bin");
  std::ofstream(share / "figures.py") << "print('note: installed')\n";

  const FigureReport report =
      draw_figures("toy.analysis.h5", folder.path(), folder.path() / "bin/scalesweep");

  EXPECT_EQ(report.problem, "");
  EXPECT_THAT(report.notes, ElementsAre("installed"));
}

TEST(Figures, AMissingPythonIsToldWithThePackagesToInstall) {
  const FigureReport report =
      draw_figures("toy.analysis.h5", ".", "/nowhere/bin/scalesweep", 0, {}, {"/nowhere/python3"});

  EXPECT_THAT(report.problem, HasSubstr("apt-get install python3-h5py python3-matplotlib"));
}

}  // namespace
}  // namespace scalesweep::analysis
