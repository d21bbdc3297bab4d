#include "core/host/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace scalesweep {
namespace {

ProgressState example() {
  ProgressState state;
  state.done = 462'336;
  state.total = 1'103'760;
  state.elapsed_seconds = 2.17;
  state.best = 61.2;
  state.best_units = "s";
  return state;
}

TEST(ProgressText, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(progress_text(example(), 0),
            "41.8 %  462,336 of 1,103,760 points  213 k points/s  ETA 3 s  best 61.2 s");
}

TEST(ProgressText, LeavesOutWhatIsNotKnown) {
  ProgressState state;
  state.total = 1000;

  EXPECT_EQ(progress_text(state, 0), "0.0 %  0 of 1,000 points");
}

TEST(ProgressText, DoesNotTakeEarlierWorkForSpeed) {
  ProgressState state = example();
  state.earlier = 462'336;

  EXPECT_EQ(progress_text(state, 0), "41.8 %  462,336 of 1,103,760 points  best 61.2 s");
}

TEST(ProgressText, HasNoEtaAtTheEndAndIs100OnlyThere) {
  ProgressState state = example();
  state.done = state.total;
  EXPECT_EQ(progress_text(state, 0),
            "100.0 %  1,103,760 of 1,103,760 points  509 k points/s  best 61.2 s");

  state.done -= 1;

  EXPECT_EQ(progress_text(state, 0).substr(0, 6), "99.9 %");
}

TEST(ProgressText, GivesOtherUnitsWithTheirPrefix) {
  ProgressState state = example();
  state.best = 3.35e12;
  state.best_units = "B/s";

  EXPECT_TRUE(progress_text(state, 0).ends_with("best 3.35 TB/s"));
}

TEST(ProgressText, GivesNumbersWithoutUnitsAsTheyAre) {
  ProgressState state = example();
  state.best = 0.45213;
  state.best_units = "1";

  EXPECT_TRUE(progress_text(state, 0).ends_with("best 0.4521"));
}

TEST(ProgressText, GivesLongTimesInHours) {
  ProgressState state = example();
  state.best = 7260.0;

  EXPECT_TRUE(progress_text(state, 0).ends_with("best 2 h 1 min"));
}

TEST(ProgressText, FitsNarrowTerminals) {
  const std::string whole = progress_text(example(), 0);
  for (std::size_t columns = 1; columns <= whole.size(); ++columns) {
    EXPECT_LE(progress_text(example(), columns).size(), columns);
  }
  EXPECT_EQ(progress_text(example(), 59), "41.8 %  462,336 of 1,103,760 points  213 k points/s");
  EXPECT_EQ(progress_text(example(), 10), "41.8 %");
  EXPECT_EQ(progress_text(example(), 3), "41.");
  EXPECT_EQ(progress_text(example(), whole.size()), whole);
}

TEST(RateText, HasThreeDigits) {
  EXPECT_EQ(rate_text(1.234), "1.23 points/s");
  EXPECT_EQ(rate_text(12.34), "12.3 points/s");
  EXPECT_EQ(rate_text(999.4), "999 points/s");
  EXPECT_EQ(rate_text(999.6), "1.00 k points/s");
  EXPECT_EQ(rate_text(9996), "10.0 k points/s");
  EXPECT_EQ(rate_text(213'060), "213 k points/s");
  EXPECT_EQ(rate_text(1'400'000), "1.40 M points/s");
}

TEST(EtaText, IsInWholeSeconds) {
  EXPECT_EQ(eta_text(0.2), "ETA 1 s");
  EXPECT_EQ(eta_text(3.4), "ETA 3 s");
  EXPECT_EQ(eta_text(93.4), "ETA 1 min 33 s");
}

ProgressLog rewritten(std::ostream& out, std::size_t columns = 200) {
  return ProgressLog(out, ProgressLog::Style::rewritten_line, [columns] { return columns; });
}

TEST(ProgressLog, RewritesOneLineAtMostFiveTimesASecond) {
  std::ostringstream out;
  ProgressLog log = rewritten(out);

  for (int ms = 0; ms <= 1000; ms += 10) {
    log.update(example(), 100.0 + ms / 1000.0);
  }

  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 6);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(ProgressLog, WipesWhatALongerLineLeft) {
  std::ostringstream out;
  ProgressLog log = rewritten(out);
  ProgressState state;
  state.total = 1'000'000;
  log.update(state, 0.0);
  out.str("");

  state.total = 10;
  log.update(state, 1.0);

  EXPECT_EQ(out.str(), "\r0.0 %  0 of 10 points       ");
}

TEST(ProgressLog, NeverFillsTheLastColumn) {
  std::ostringstream out;
  ProgressLog log = rewritten(out, 7);

  log.update(example(), 0.0);

  EXPECT_EQ(out.str(), "\r41.8 %");
}

TEST(ProgressLog, PutsNotesAndTheSummaryOnTheirOwnLines) {
  std::ostringstream out;
  ProgressLog log = rewritten(out, 8);
  log.update(example(), 0.0);

  log.note("a rank died");
  log.close("done");

  EXPECT_EQ(out.str(), "\r41.8 %\r      \ra rank died\ndone\n");
}

TEST(ProgressLog, IsSparseInAFile) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::sparse_lines);
  ProgressState state;
  state.total = 1000;

  for (int second = 0; second <= 600; ++second) {
    state.done = second * 2;  // 5 % take 25 s
    state.elapsed_seconds = second;
    if (state.done <= 400) {
      log.update(state, second);
    }
  }

  EXPECT_EQ(out.str(),
            "5.0 %  50 of 1,000 points  2.00 points/s  ETA 7 min 55 s\n"
            "10.0 %  100 of 1,000 points  2.00 points/s  ETA 7 min 30 s\n"
            "15.0 %  150 of 1,000 points  2.00 points/s  ETA 7 min 5 s\n"
            "20.0 %  200 of 1,000 points  2.00 points/s  ETA 6 min 40 s\n"
            "25.0 %  250 of 1,000 points  2.00 points/s  ETA 6 min 15 s\n"
            "30.0 %  300 of 1,000 points  2.00 points/s  ETA 5 min 50 s\n"
            "35.0 %  350 of 1,000 points  2.00 points/s  ETA 5 min 25 s\n"
            "40.0 %  400 of 1,000 points  2.00 points/s  ETA 5 min 0 s\n");
}

TEST(ProgressLog, SaysSomethingEveryMinuteInAFile) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::sparse_lines);
  ProgressState state;
  state.total = 1'000'000;

  for (int second = 0; second <= 180; ++second) {
    log.update(state, second);
  }

  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(ProgressLog, SparesAFileAShortRun) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::sparse_lines);
  ProgressState state = example();

  for (int ms = 0; ms < 900; ms += 50) {
    state.done = ms * 1000;
    log.update(state, ms / 1000.0);
  }
  log.close("done");

  EXPECT_EQ(out.str(), "done\n");
}

TEST(ProgressLog, CanBeSilentButPassesNotesOn) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::silent);
  log.update(example(), 0.0);
  log.update(example(), 100.0);
  log.close("done");
  EXPECT_EQ(out.str(), "");

  log.note("a rank died");

  EXPECT_EQ(out.str(), "a rank died\n");
}

TEST(ProgressLog, TellsOfAPassThatTakesLong) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::rewritten_line, [] { return std::size_t{80}; });

  log.pass("checking segments", 0.1, 100.0);
  log.pass("checking segments", 0.4, 100.9);
  EXPECT_EQ(out.str(), "");

  log.pass("checking segments", 0.456, 101.0);
  log.pass("checking segments", 0.5, 101.1);
  EXPECT_EQ(out.str(), "\rchecking segments 45 %");

  log.pass("merging segments", 0.0, 102.0);
  EXPECT_EQ(out.str(), "\rchecking segments 45 %");
}

TEST(ProgressLog, TellsOfNoPassInALog) {
  std::ostringstream out;
  ProgressLog log(out, ProgressLog::Style::sparse_lines);
  log.pass("checking segments", 0.1, 100.0);
  log.pass("checking segments", 0.4, 200.0);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace scalesweep
