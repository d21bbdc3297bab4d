#include "engine/worker/messages.hpp"

#include <gtest/gtest.h>

namespace scalesweep::engine {
namespace {

RankReport full_report() {
  RankReport report;
  report.kind = ReportKind::failed;
  report.ids = {5, 1'000'000'000'000};
  report.totals = {7, 5, 1.5, 2.5, 3, 4096, 61.25};
  report.code = ExitCode::io;
  report.text = "No space left on device";
  report.payload = {std::byte{1}, std::byte{0}};
  return report;
}

TEST(Messages, CarryAReport) {
  const RankReport sent = full_report();

  const RankReport got = decode_report(encode(sent));

  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.ids, sent.ids);
  EXPECT_EQ(got.totals.evaluated, 7);
  EXPECT_EQ(got.totals.skipped, 5);
  EXPECT_EQ(got.totals.evaluate_seconds, 1.5);
  EXPECT_EQ(got.totals.write_seconds, 2.5);
  EXPECT_EQ(got.totals.segments, 3);
  EXPECT_EQ(got.totals.peak_memory_bytes, 4096);
  EXPECT_EQ(got.totals.best_objective, 61.25);
  EXPECT_EQ(got.code, sent.code);
  EXPECT_EQ(got.text, sent.text);
  EXPECT_EQ(got.payload, sent.payload);
}

TEST(Messages, CarryAnOrder) {
  const Order got =
      decode_order(encode(Order{OrderKind::merge, {3, 4}, ExitCode::resumable, {std::byte{5}}}));

  EXPECT_EQ(got.kind, OrderKind::merge);
  EXPECT_EQ(got.payload, std::vector<std::byte>{std::byte{5}});
  EXPECT_EQ(got.ids, (IdRange{3, 4}));
  EXPECT_EQ(got.code, ExitCode::resumable);
}

TEST(Messages, StaySmall) {
  RankReport report;
  report.text = std::string(100'000, 'x');

  const std::vector<std::byte> bytes = encode(report);

  EXPECT_LT(bytes.size(), 4096U) << "more would not be sent at once by MPI";
  EXPECT_EQ(decode_report(bytes).text.size(), max_text_bytes);
}

void expect_foreign(const std::vector<std::byte>& bytes) {
  for (const bool as_report : {true, false}) {
    try {
      if (as_report) {
        decode_report(bytes);
      } else {
        decode_order(bytes);
      }
      FAIL() << "was understood";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::mpi_unavailable);
      EXPECT_STREQ(failure.what(),
                   "ranks do not understand each other: start the same build of scalesweep on all");
    }
  }
}

TEST(Messages, RefuseWhatTheyDoNotKnow) {
  expect_foreign({});
  expect_foreign(std::vector<std::byte>(200, std::byte{0x20}));
  std::vector<std::byte> cut = encode(full_report());
  cut.pop_back();
  expect_foreign(cut);
  std::vector<std::byte> long_one = encode(Order{});
  long_one.push_back(std::byte{0});
  expect_foreign(long_one);
  std::vector<std::byte> unknown_kind = encode(Order{});
  unknown_kind[1] = std::byte{99};
  expect_foreign(unknown_kind);
}

}  // namespace
}  // namespace scalesweep::engine
