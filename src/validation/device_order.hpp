// Which device is the fastest for a model: the order in which measured cases put devices, and that
// in which estimates of the same cases put them.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "validation/cases/case_file.hpp"

namespace scalesweep::validation {

// Tokens per second of one device: of all its cases the best that was measured, and the best that
// is predicted.
struct DeviceRate {
  std::string device;
  double measured = 0.0;
  double predicted = 0.0;
};

// Two devices of which the estimate puts the slower one first.
struct InvertedPair {
  std::string faster, slower;   // as measured
  double measured_lead = 0.0;   // of the faster one over the slower one, above 1
  double predicted_lead = 0.0;  // of the same one, at most 1

  // The estimate is further from a tie than the measurement is, on the other side of it.
  bool beyond_measured() const { return measured_lead * predicted_lead < 1.0; }
};

// One model in one format, and the same lengths of sequences or requests.
struct DeviceOrder {
  std::string model;
  std::string op;                   // the metric of inference; "" of training
  std::string lengths;              // tokens: "4096", "2048+128"
  std::string precision;            // "any": of each device what is fastest
  std::vector<DeviceRate> devices;  // the fastest as measured first
  std::optional<double> tau;        // Kendall's, of measured and predicted rates
  std::vector<InvertedPair> inverted;

  std::size_t pairs() const { return devices.size() * (devices.size() - 1) / 2; }
};

inline constexpr std::size_t fewest_devices = 3;

// Of cases of training and inference that are both measured and predicted; each model with so many
// devices, in the order in which they first occur. Where devices were measured in several formats,
// also all formats together.
class DeviceOrders {
 public:
  void add(const CaseRow& row);
  std::vector<DeviceOrder> result() const;

 private:
  using Key = std::array<std::string, 4>;  // model, op, lengths, precision

  std::size_t order_of(const CaseRow& row, const std::string& precision);

  std::map<Key, std::size_t> known_;
  std::vector<DeviceOrder> orders_;
  std::map<std::size_t, std::set<std::string>> formats_;  // of the orders of all formats
};
std::vector<DeviceOrder> device_orders(std::span<const CaseRow* const> rows);

}  // namespace scalesweep::validation
