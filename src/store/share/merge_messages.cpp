#include "store/share/merge_messages.hpp"

#include <cstring>
#include <type_traits>

#include "core/failure.hpp"

namespace scalesweep::store {
namespace {

// First byte of every message: raised with every change of the layout.
constexpr std::uint8_t order_tag = 0x71;
constexpr std::uint8_t reply_tag = 0x61;

template <typename T>
void put(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

// A text or a vector of plain values.
template <typename Values>
void put_all(std::vector<std::byte>& bytes, const Values& values) {
  put(bytes, static_cast<std::uint64_t>(values.size()));
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  bytes.insert(bytes.end(), begin, begin + values.size() * sizeof(*values.data()));
}

[[noreturn]] void fail() {
  throw Failure(ExitCode::mpi_unavailable,
                "ranks do not understand each other: start the same build of scalesweep on all");
}

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  void take(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof(T)) {
      fail();
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
  }

  template <typename Values>
  void take_all(Values& values) {
    std::uint64_t count = 0;
    take(count);
    constexpr std::size_t width = sizeof(*values.data());
    if (count > bytes_.size() / width) {
      fail();
    }
    values.resize(count);
    if (count > 0) {
      std::memcpy(values.data(), bytes_.data(), count * width);
    }
    bytes_ = bytes_.subspan(count * width);
  }

  // The kind behind its tag.
  template <typename Kind>
  void take_kind(std::uint8_t tag, Kind last, Kind& kind) {
    std::uint8_t first = 0;
    std::uint8_t number = 0;
    take(first);
    take(number);
    if (first != tag || number > static_cast<std::uint8_t>(last)) {
      fail();
    }
    kind = static_cast<Kind>(number);
  }

  void expect_end() const {
    if (!bytes_.empty()) {
      fail();
    }
  }

 private:
  std::span<const std::byte> bytes_;
};

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
  put_all(bytes, reply.sizes);
  put_all(bytes, reply.why);
  return bytes;
}

MergeOrder decode_merge_order(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  MergeOrder order;
  cursor.take_kind(order_tag, MergeOrderKind::sync, order.kind);
  cursor.take(order.block);
  cursor.take(order.at);
  cursor.take_all(order.identity);
  cursor.take_all(order.mark);
  for (std::int64_t* number :
       {&order.rows, &order.chunk_rows, &order.block_chunks, &order.first_row}) {
    cursor.take(*number);
  }
  cursor.take_all(order.sources);
  cursor.expect_end();
  return order;
}

MergeReply decode_merge_reply(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  MergeReply reply;
  cursor.take_kind(reply_tag, MergeReplyKind::failed, reply.kind);
  for (std::int64_t* number : {&reply.block, &reply.copied_bytes, &reply.encoded_rows}) {
    cursor.take(*number);
  }
  cursor.take_all(reply.sizes);
  cursor.take_all(reply.why);
  cursor.expect_end();
  return reply;
}

}  // namespace scalesweep::store
