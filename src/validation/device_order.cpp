#include "validation/device_order.hpp"

#include <algorithm>

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

std::size_t DeviceOrders::order_of(const CaseRow& row, const std::string& precision) {
  const auto [place, is_new] =
      known_.try_emplace(Key{row.shape, row.op, row.lengths, precision}, orders_.size());
  if (is_new) {
    orders_.push_back({row.shape, row.op, row.lengths, precision, {}, {}, {}});
  }
  return place->second;
}

void DeviceOrders::add(const CaseRow& row) {
  if (!takes_part(row)) {
    return;
  }
  add_row(orders_[order_of(row, row.precision)], row);
  const std::size_t together = order_of(row, any_precision);
  add_row(orders_[together], row);
  formats_[together].insert(row.precision);
}

std::vector<DeviceOrder> DeviceOrders::result() const {
  std::vector<DeviceOrder> found;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const auto together = formats_.find(i);
    const bool repeats = together != formats_.end() && together->second.size() == 1;
    if (orders_[i].devices.size() >= fewest_devices && !repeats) {
      found.push_back(orders_[i]);
      compare(found.back());
    }
  }
  return found;
}

std::vector<DeviceOrder> device_orders(std::span<const CaseRow* const> rows) {
  DeviceOrders orders;
  for (const CaseRow* row : rows) {
    orders.add(*row);
  }
  return orders.result();
}

}  // namespace scalesweep::validation
