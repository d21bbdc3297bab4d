// The weights of a layer's linear layers: what adapters stand beside, and what optimizers of
// matrices multiply.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "workload/layer.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::workload {

// `count` matrices of k x n on one device. Parts that one GEMM joins are one.
struct LinearShape {
  std::string_view gemm;  // its forward name in LayerOperators
  double n = 0.0, k = 0.0;
  double count = 1.0;

  double parameters() const { return n * k * count; }
};

class LinearShapes {
 public:
  const LinearShape* begin() const { return shapes_.data(); }
  const LinearShape* end() const { return shapes_.data() + size_; }
  void add(const LinearShape& shape) { shapes_[size_++] = shape; }

 private:
  static constexpr std::size_t most = 16;
  std::array<LinearShape, most> shapes_;
  std::size_t size_ = 0;
};

// As layer_operators() has them, biases not counted. Of the slice this reads the shards alone.
LinearShapes linear_shapes(const TransformerModel& model, const Slice& slice,
                           LayerKind kind = LayerKind::dense, Mixer mixer = Mixer::attention);

// Parameters of the adapter of such a layer on one device: a matrix A for each of the layers that a
// GEMM joins, and B of all of them.
double adapter_parameters(const TransformerModel& model, const Tuning& tuning, const Slice& slice,
                          LayerKind kind, Mixer mixer);

}  // namespace scalesweep::workload
