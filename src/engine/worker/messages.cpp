#include "engine/worker/messages.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace scalesweep::engine {
namespace {

// First byte of every message: raised with every change of the layout.
constexpr std::uint8_t report_tag = 0x55;
constexpr std::uint8_t order_tag = 0x54;

template <typename T>
void put(std::vector<std::byte>& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

void put_payload(std::vector<std::byte>& bytes, const std::vector<std::byte>& payload) {
  put(bytes, static_cast<std::uint32_t>(payload.size()));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
}

Failure foreign_message() {
  return Failure(ExitCode::mpi_unavailable,
                 "ranks do not understand each other: start the same build of scalesweep on all");
}

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() < sizeof(T)) {
      throw foreign_message();
    }
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }

  std::string take_text() {
    const std::span<const std::byte> text = take_sized();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  std::vector<std::byte> take_payload() {
    const std::span<const std::byte> payload = take_sized();
    return {payload.begin(), payload.end()};
  }

  void expect_end() const {
    if (!bytes_.empty()) {
      throw foreign_message();
    }
  }

 private:
  std::span<const std::byte> take_sized() {
    const auto size = take<std::uint32_t>();
    if (bytes_.size() < size) {
      throw foreign_message();
    }
    const std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::byte> bytes_;
};

// The kind as an enumerator, if it is one.
template <typename Kind>
Kind take_kind(Cursor& cursor, std::uint8_t tag, Kind last) {
  if (cursor.take<std::uint8_t>() != tag) {
    throw foreign_message();
  }
  const auto kind = cursor.take<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(last)) {
    throw foreign_message();
  }
  return static_cast<Kind>(kind);
}

}  // namespace

std::vector<std::byte> encode(const RankReport& report) {
  std::vector<std::byte> bytes;
  put(bytes, report_tag);
  put(bytes, static_cast<std::uint8_t>(report.kind));
  put(bytes, report.ids);
  put(bytes, report.totals);
  put(bytes, static_cast<std::int32_t>(report.code));
  const auto size = static_cast<std::uint32_t>(std::min(report.text.size(), max_text_bytes));
  put(bytes, size);
  const auto* text = reinterpret_cast<const std::byte*>(report.text.data());
  bytes.insert(bytes.end(), text, text + size);
  put_payload(bytes, report.payload);
  return bytes;
}

std::vector<std::byte> encode(const Order& order) {
  std::vector<std::byte> bytes;
  put(bytes, order_tag);
  put(bytes, static_cast<std::uint8_t>(order.kind));
  put(bytes, order.ids);
  put(bytes, static_cast<std::int32_t>(order.code));
  put_payload(bytes, order.payload);
  return bytes;
}

RankReport decode_report(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  RankReport report;
  report.kind = take_kind(cursor, report_tag, ReportKind::merge);
  report.ids = cursor.take<IdRange>();
  report.totals = cursor.take<RankTotals>();
  report.code = static_cast<ExitCode>(cursor.take<std::int32_t>());
  report.text = cursor.take_text();
  report.payload = cursor.take_payload();
  cursor.expect_end();
  return report;
}

Order decode_order(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  Order order;
  order.kind = take_kind(cursor, order_tag, OrderKind::merge);
  order.ids = cursor.take<IdRange>();
  order.code = static_cast<ExitCode>(cursor.take<std::int32_t>());
  order.payload = cursor.take_payload();
  cursor.expect_end();
  return order;
}

}  // namespace scalesweep::engine
