#include "engine/worker/messages.hpp"

#include <string_view>

#include "core/host/message_bytes.hpp"

namespace scalesweep::engine {
namespace {

// First byte of every message: raised with every change of the layout.
constexpr std::uint8_t report_tag = 0x57;
constexpr std::uint8_t order_tag = 0x56;

}  // namespace

std::vector<std::byte> encode(const RankReport& report) {
  std::vector<std::byte> bytes;
  put(bytes, report_tag);
  put(bytes, static_cast<std::uint8_t>(report.kind));
  put(bytes, report.ids);
  put(bytes, report.totals);
  put(bytes, static_cast<std::int32_t>(report.code));
  put_all(bytes, std::string_view(report.text).substr(0, max_text_bytes));
  put_all(bytes, report.payload);
  return bytes;
}

std::vector<std::byte> encode(const Order& order) {
  std::vector<std::byte> bytes;
  put(bytes, order_tag);
  put(bytes, static_cast<std::uint8_t>(order.kind));
  put(bytes, order.ids);
  put(bytes, static_cast<std::int32_t>(order.code));
  put_all(bytes, order.payload);
  return bytes;
}

RankReport decode_report(std::span<const std::byte> bytes) {
  MessageCursor cursor(bytes);
  RankReport report;
  report.kind = cursor.take_kind(report_tag, ReportKind::merge);
  report.ids = cursor.take<IdRange>();
  report.totals = cursor.take<RankTotals>();
  report.code = static_cast<ExitCode>(cursor.take<std::int32_t>());
  report.text = cursor.take_all<std::string>();
  report.payload = cursor.take_all<std::vector<std::byte>>();
  cursor.expect_end();
  return report;
}

Order decode_order(std::span<const std::byte> bytes) {
  MessageCursor cursor(bytes);
  Order order;
  order.kind = cursor.take_kind(order_tag, OrderKind::merge);
  order.ids = cursor.take<IdRange>();
  order.code = static_cast<ExitCode>(cursor.take<std::int32_t>());
  order.payload = cursor.take_all<std::vector<std::byte>>();
  cursor.expect_end();
  return order;
}

}  // namespace scalesweep::engine
