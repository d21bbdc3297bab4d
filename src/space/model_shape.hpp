// What the strategies of a model are enumerated by.
#pragma once

#include <cstdint>
#include <utility>

#include "workload/model.hpp"

namespace scalesweep::space {

struct ModelShape {
  workload::TransformerModel layers;
  std::int64_t passes = 1;  // over a sample in a step

  ModelShape(workload::TransformerModel of) : layers(std::move(of)) {}  // NOLINT: as good as that
};

}  // namespace scalesweep::space
