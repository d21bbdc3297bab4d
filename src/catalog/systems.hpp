// What makes a system of entries of a catalog: by their names, and what comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "technology/derive/derive.hpp"
#include "technology/device.hpp"

namespace scalesweep::catalog {

// Entries that a study rests on where it names no other.
inline constexpr std::string_view default_scaling = "foundry";
inline constexpr std::string_view default_topology = "fat-tree";
inline constexpr std::string_view default_package = "interposer";
inline constexpr std::string_view default_economics = "default";
inline constexpr std::string_view default_optimizer = "adam";
inline constexpr std::string_view default_reliability = "default";
inline constexpr std::string_view default_storage = "default";
inline constexpr std::string_view default_fit = "default";

// What estimates were held against: training steps, inference, or the times to the first token of
// services, which wait for what other requests do.
enum class MeasuredWork : std::uint8_t { training, inference, first_token };
inline constexpr auto measured_work_names =
    enum_names<MeasuredWork>("training", "inference", "first_token");

// A catalogued device with its networks; what is left out is the device's own.
struct CataloguedSystem {
  std::string device;
  std::optional<std::string> scale_up = std::nullopt;  // link technology
  std::optional<int> domain = std::nullopt;            // devices in a scale-up domain
  std::optional<std::string> scale_out = std::nullopt;
  std::string topology = std::string(default_topology);
  double endpoints = 1024;  // devices that the scale-out network joins
};

struct DerivedSystem {
  std::string architecture;  // name of a template
  std::string logic;         // node, "N5"
  std::string scaling = std::string(default_scaling);
  std::string memory;
  std::string package = std::string(default_package);
  technology::Budget budget;
  std::string scale_up;
  int domain = 8;
  std::string scale_out;
  std::string topology = std::string(default_topology);
  double endpoints = 1024;
};

// A network between domains of `domain` devices.
struct ScaleOut {
  std::string name;  // "NDRx8"
  std::string topology = std::string(default_topology);
  double endpoints = 1024;
  int domain = 8;
};

// A domain that holds no whole number of the blocks of `size` devices that `link` joins inside it.
struct UnevenDomain {
  std::string link;
  int size = 0;
};
// With the way out.
std::string to_string(const UnevenDomain& uneven, int domain);

struct DerivedResult {
  technology::Derivation derivation;         // says why, if infeasible
  std::optional<technology::System> system;  // nothing if infeasible
};

}  // namespace scalesweep::catalog
