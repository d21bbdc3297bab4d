// Rows of optimizers.
#include "catalog/keys/rows.hpp"

namespace scalesweep::catalog {

std::vector<Key> optimizer_rows() {
  return heritable({
      number("moments", from_zero, "states that are as large as the weights", "2"),
      number("edge_moments", from_zero, "the same of embedding and head", "2", "as `moments`"),
      quantity("moment_size", Dimension::bytes, "of an element of these, with scales", "\"1 B\"",
               "by `moments` of the precision"),
      number("flop", from_zero, "of a parameter, on the vector units", "16", "16"),
      number("gradient_reads", from_zero, "how often gradients are read before the update", "2",
             "0"),
      number("orthogonal_steps", from_zero,
             "steps of Newton and Schulz that make a matrix orthogonal, three products each; "
             "ranks that have parts of one gather it before",
             "5", "0"),
      or_zero(integer("block",
                      "side of the squares that matrices are cut into, of which factors "
                      "are kept; 0: none",
                      "2048", "0")),
      number("block_states", from_zero,
             "matrices as large as a block that are kept for each, besides", "4", "0"),
      number("block_products", from_zero, "products of such matrices in a step", "4", "0"),
      quantity("product_size", Dimension::bytes,
               "of an element that is multiplied: 4 bytes where it is fp32", "\"4 B\"", "\"2 B\""),
  });
}

}  // namespace scalesweep::catalog
