#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"
#include "store/share/merge_messages.hpp"

namespace scalesweep::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MergeOrder full_order() {
  MergeOrder order;
  order.kind = MergeOrderKind::make;
  order.block = 7;
  order.at = 4096;
  order.identity = "study";
  order.mark = "mark";
  order.rows = 1'000'000'000'000;
  order.chunk_rows = 16384;
  order.block_chunks = 3;
  order.first_row = 5;
  order.sources = {{{0, 10}, 9}, {{10, 30}, 20}};
  return order;
}

MergeReply full_reply() {
  MergeReply reply;
  reply.kind = MergeReplyKind::made;
  reply.block = 7;
  reply.copied_bytes = 100;
  reply.encoded_rows = 20;
  reply.chunks = {{3, 7}, {4, 8}, {5, 9}};
  reply.why = "none";
  return reply;
}

TEST(MergeMessages, CarryAnOrder) {
  const MergeOrder got = decode_merge_order(encode(full_order()));

  EXPECT_EQ(got.kind, MergeOrderKind::make);
  EXPECT_EQ(got.block, 7);
  EXPECT_EQ(got.at, 4096U);
  EXPECT_EQ(got.identity, "study");
  EXPECT_EQ(got.mark, "mark");
  EXPECT_EQ(got.rows, 1'000'000'000'000);
  EXPECT_EQ(got.chunk_rows, 16384);
  EXPECT_EQ(got.block_chunks, 3);
  EXPECT_EQ(got.first_row, 5);
  ASSERT_EQ(got.sources.size(), 2U);
  EXPECT_EQ(got.sources[1].ids, (IdRange{10, 30}));
  EXPECT_EQ(got.sources[1].rows, 20);
}

TEST(MergeMessages, CarryAReply) {
  const MergeReply got = decode_merge_reply(encode(full_reply()));

  EXPECT_EQ(got.kind, MergeReplyKind::made);
  EXPECT_EQ(got.block, 7);
  EXPECT_EQ(got.copied_bytes, 100);
  EXPECT_EQ(got.encoded_rows, 20);
  EXPECT_EQ(got.chunks, full_reply().chunks);
  EXPECT_EQ(got.why, "none");
}

void expect_foreign(const std::vector<std::byte>& bytes) {
  for (const bool as_order : {true, false}) {
    try {
      if (as_order) {
        decode_merge_order(bytes);
      } else {
        decode_merge_reply(bytes);
      }
      FAIL() << "was understood";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::mpi_unavailable);
      EXPECT_THAT(failure.what(), HasSubstr("start the same build of scalesweep on all"));
    }
  }
}

TEST(MergeMessages, OfAnotherBuildAreRefused) {
  expect_foreign({});
  for (const std::vector<std::byte>& whole : {encode(full_order()), encode(full_reply())}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      expect_foreign({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    std::vector<std::byte> other = whole;
    other[1] = std::byte{200};
    expect_foreign(other);
    other = whole;
    other.push_back(std::byte{0});
    expect_foreign(other);
  }
}

}  // namespace
}  // namespace scalesweep::store
