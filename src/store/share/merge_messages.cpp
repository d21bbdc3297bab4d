#include "store/share/merge_messages.hpp"

#include "core/host/message_bytes.hpp"

namespace scalesweep::store {
namespace {

// First byte of every message: raised with every change of the layout.
constexpr std::uint8_t order_tag = 0x71;
constexpr std::uint8_t reply_tag = 0x62;

}  // namespace

std::vector<std::byte> encode(const MergeOrder& order) {
  std::vector<std::byte> bytes;
  put(bytes, order_tag);
  put(bytes, static_cast<std::uint8_t>(order.kind));
  put(bytes, order.block);
  put(bytes, order.at);
  put_all(bytes, order.identity);
  put_all(bytes, order.mark);
  for (const std::int64_t number :
       {order.rows, order.chunk_rows, order.block_chunks, order.first_row}) {
    put(bytes, number);
  }
  put_all(bytes, order.sources);
  return bytes;
}

std::vector<std::byte> encode(const MergeReply& reply) {
  std::vector<std::byte> bytes;
  put(bytes, reply_tag);
  put(bytes, static_cast<std::uint8_t>(reply.kind));
  for (const std::int64_t number : {reply.block, reply.copied_bytes, reply.encoded_rows}) {
    put(bytes, number);
  }
  put_all(bytes, reply.chunks);
  put_all(bytes, reply.why);
  return bytes;
}

MergeOrder decode_merge_order(std::span<const std::byte> bytes) {
  MessageCursor cursor(bytes);
  MergeOrder order;
  order.kind = cursor.take_kind(order_tag, MergeOrderKind::sync);
  order.block = cursor.take<decltype(order.block)>();
  order.at = cursor.take<decltype(order.at)>();
  order.identity = cursor.take_all<decltype(order.identity)>();
  order.mark = cursor.take_all<decltype(order.mark)>();
  for (std::int64_t* number :
       {&order.rows, &order.chunk_rows, &order.block_chunks, &order.first_row}) {
    *number = cursor.take<std::int64_t>();
  }
  order.sources = cursor.take_all<decltype(order.sources)>();
  cursor.expect_end();
  return order;
}

MergeReply decode_merge_reply(std::span<const std::byte> bytes) {
  MessageCursor cursor(bytes);
  MergeReply reply;
  reply.kind = cursor.take_kind(reply_tag, MergeReplyKind::failed);
  for (std::int64_t* number : {&reply.block, &reply.copied_bytes, &reply.encoded_rows}) {
    *number = cursor.take<std::int64_t>();
  }
  reply.chunks = cursor.take_all<decltype(reply.chunks)>();
  reply.why = cursor.take_all<decltype(reply.why)>();
  cursor.expect_end();
  return reply;
}

}  // namespace scalesweep::store
