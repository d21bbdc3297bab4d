#include "validation/device_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "validation/statistics.hpp"

namespace scalesweep::validation {
namespace {

constexpr const char* any_precision = "any";

// Tokens per second of one device.
double rate_of(const CaseRow& row, double value) {
  const auto devices = static_cast<double>(row.gpus);
  return row.is_rate ? value / devices : row.tokens / value / devices;
}

bool takes_part(const CaseRow& row) {
  const bool has_rate = row.gpus > 0 && (row.is_rate || row.tokens > 0.0);
  return row.time_error() && has_rate && !row.shape.empty();
}

void add_row(DeviceOrder& order, const CaseRow& row) {
  const auto known =
      std::find_if(order.devices.begin(), order.devices.end(),
                   [&](const DeviceRate& rate) { return rate.device == row.device; });
  DeviceRate& rate = known != order.devices.end() ? *known : order.devices.emplace_back();
  rate.device = row.device;
  rate.measured = std::max(rate.measured, rate_of(row, *row.measured));
  rate.predicted = std::max(rate.predicted, rate_of(row, *row.predicted.value));
}

void compare(DeviceOrder& order) {
  std::stable_sort(
      order.devices.begin(), order.devices.end(),
      [](const DeviceRate& a, const DeviceRate& b) { return a.measured > b.measured; });
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const DeviceRate& rate : order.devices) {
    measured.push_back(rate.measured);
    predicted.push_back(rate.predicted);
  }
  order.tau = concordance(measured, predicted);
  for (auto faster = order.devices.begin(); faster != order.devices.end(); ++faster) {
    for (auto slower = faster + 1; slower != order.devices.end(); ++slower) {
      const double measured_lead = faster->measured / slower->measured;
      const double predicted_lead = faster->predicted / slower->predicted;
      if (measured_lead > 1.0 && predicted_lead <= 1.0) {
        order.inverted.push_back({faster->device, slower->device, measured_lead, predicted_lead});
      }
    }
  }
}

}  // namespace

std::vector<DeviceOrder> device_orders(std::span<const CaseRow* const> rows) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> known;
  std::vector<DeviceOrder> orders;
  // Formats of the orders of all formats.
  std::map<std::size_t, std::set<std::string>> formats;
  const auto order_of = [&](const CaseRow& row, const std::string& precision) {
    const auto [place, is_new] =
        known.try_emplace(Key{row.shape, row.op, row.lengths, precision}, orders.size());
    if (is_new) {
      orders.push_back({row.shape, row.op, row.lengths, precision, {}, {}, {}});
    }
    return place->second;
  };
  for (const CaseRow* row : rows) {
    if (!takes_part(*row)) {
      continue;
    }
    add_row(orders[order_of(*row, row->precision)], *row);
    const std::size_t together = order_of(*row, any_precision);
    add_row(orders[together], *row);
    formats[together].insert(row->precision);
  }
  std::vector<DeviceOrder> found;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto together = formats.find(i);
    const bool repeats = together != formats.end() && together->second.size() == 1;
    if (orders[i].devices.size() >= fewest_devices && !repeats) {
      compare(orders[i]);
      found.push_back(std::move(orders[i]));
    }
  }
  return found;
}

}  // namespace scalesweep::validation
