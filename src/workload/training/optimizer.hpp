// How weights follow from gradients: what an optimizer keeps, streams and multiplies.
#pragma once

#include <string>

namespace scalesweep::workload {

// Of a parameter, unless it says of a matrix. Weights and their master copies are those of the
// precision policy. The default is Adam (Kingma and Ba, arXiv:1412.6980).
struct Optimizer {
  std::string name = "adam";
  double moments = 2.0;         // states as large as the weights, of the layers ...
  double edge_moments = 2.0;    // ... and of embedding and head
  double moment_bytes = 0.0;    // of each, with scales; 0: in the format of the policy
  double flop = 16.0;           // on the vector units
  double gradient_reads = 0.0;  // beside the one of the update: sums of rows and columns

  // Each matrix of a layer is made orthogonal by so many steps of Newton and Schulz, of two
  // products with its longer side and one of its shorter sides alone (Jordan et al., Muon; Liu et
  // al., arXiv:2502.16982, section 2.1). Matrices that several ranks share are gathered before.
  double orthogonal_steps = 0.0;

  // Matrices are cut into squares of at most this side (Gupta et al., Shampoo, arXiv:1802.09568;
  // Shi et al., arXiv:2309.06497): kept for each, and multiplied with each other in a step.
  double block = 0.0;  // elements; 0: none
  double block_states = 0.0;
  double block_products = 0.0;

  double product_bytes = 2.0;  // of an element that is multiplied: 4 where it is fp32

  bool multiplies() const { return orthogonal_steps > 0.0 || block > 0.0; }
  friend bool operator==(const Optimizer&, const Optimizer&) = default;
};

}  // namespace scalesweep::workload
