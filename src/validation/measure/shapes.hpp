// What is worth measuring of a device: GEMMs, experts, attention, streams and collectives of
// models, and sizes between which the constants of its kernels can be told apart. Rows of a case
// file without times, which somebody fills in on the device.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "technology/precision.hpp"
#include "validation/measure/case_table.hpp"

namespace scalesweep::validation {

struct ShapeQuestion {
  std::string device;               // canonical names
  std::vector<std::string> models;  // what is multiplied and attended to
  std::vector<technology::Precision> precisions;
};

// What a device multiplies: its 16-bit format and those of fewer bits.
std::vector<technology::Precision> measured_precisions(const technology::Device& device);

// No two rows have the same name.
std::vector<CaseCells> shapes_to_measure(const catalog::Catalog& catalog,
                                         const ShapeQuestion& question);

}  // namespace scalesweep::validation
