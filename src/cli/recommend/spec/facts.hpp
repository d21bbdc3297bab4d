// What a question is about: its model and devices, as far as the catalog knows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"
#include "cli/recommend/spec/assumptions.hpp"

namespace scalesweep::workload {
struct TransformerModel;
}

namespace scalesweep::cli {

// Of names that it does not know, what is usual. Refers to the catalog.
struct Facts {
  std::string model;          // true name; empty: unknown
  std::int64_t layers = 1;    // of the model
  std::int64_t experts = 0;   // of a layer
  std::int64_t context = 0;   // tokens; 0: not known
  std::int64_t domain = 8;    // the largest of the devices
  std::int64_t devices = 1;   // the most there may be
  double parameters = 0.0;    // of the model
  double device_bytes = 0.0;  // of memory, of the device with the least
  Devices known;
  std::vector<std::string> networks;  // "NDRx8 (h100-sxm)"
  const workload::TransformerModel* shape = nullptr;
};

// `counts` has every device of the question.
Facts facts_of(const Question& question, const std::vector<DeviceCounts>& counts,
               const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
