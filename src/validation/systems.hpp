// Catalogued systems by their device and the number of them, each looked up once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "catalog/catalog.hpp"

namespace scalesweep::validation {

// Of the two 16-bit formats bf16 where there is a choice, as in a study: models come in it.
inline technology::Precision usual_sixteen_bit(const technology::Device& device) {
  constexpr technology::Precision bf16 = technology::Precision::bf16;
  const bool has_bf16 = technology::matrix_peak(device, bf16).si() > 0.0;
  return has_bf16 ? bf16 : technology::sixteen_bit(device.tensor_peak);
}

class Systems {
 public:
  explicit Systems(const catalog::Catalog& catalog) : catalog_(catalog) {}

  const catalog::Catalog& catalog() const { return catalog_; }

  // So many devices with their usual networks, which have the hops of so many as in a study;
  // `device` is a canonical name of the catalog.
  const technology::System& of(const std::string& device, std::int64_t devices) {
    const auto known = known_.find({device, devices});
    if (known != known_.end()) {
      return known->second;
    }
    catalog::CataloguedSystem usual = catalog_.usual_system(device);
    usual.endpoints = static_cast<double>(devices);
    return known_.emplace(std::pair(device, devices), catalog_.catalogued_system(usual))
        .first->second;
  }

  // The device alone, with the kernels of a library where the catalog has them.
  technology::Device alone(const std::string& device, const std::string& library) {
    technology::Device alone = of(device, 1).device;
    catalog_.use_library(device, library, alone);
    return alone;
  }

 private:
  const catalog::Catalog& catalog_;
  std::map<std::pair<std::string, std::int64_t>, technology::System> known_;
};

// What the rows of a file are read with.
struct CaseDefaults {
  const catalog::Catalog& catalog;
  Systems& systems;
  // What rows run on that do not name a framework; "" for that of their source (case_sources.hpp).
  std::string framework;
};

}  // namespace scalesweep::validation
