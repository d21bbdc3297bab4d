// Formats of linear layers where they are served: checkpoints narrow some of them and leave others
// as they are (published ones of four bits keep attention in 8 or 16 bits, gpt-oss all but its
// experts).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::workload {

// Attention: projections of any mixer, latent ones among them; the last one is a part of its own,
// since some checkpoints narrow it alone. MLP: of layers without experts, and whatever is none of
// the others.
enum class LinearPart : std::uint8_t { mlp, attention, attention_output, experts, shared_experts };
inline constexpr auto linear_part_names =
    enum_names<LinearPart>("mlp", "attention", "attention_output", "experts", "shared");
constexpr std::size_t index_of(LinearPart part) {
  return static_cast<std::size_t>(part);
}

// Of the linear layers of a part, in bytes of an element.
struct LinearFormat {
  double operand_bytes = 2.0;  // as multiplied, with scales
  double weight_bytes = 2.0;   // in memory; below operand_bytes: weight-only quantised, and
                               // converted where they are read
  OperandRecipe recipe;        // where operands are narrower than activations

  // Of an activation, prepared for a linear layer.
  double prepared_bytes() const { return operand_bytes + recipe.activation_scale_bytes; }
  // Whether what is prepared for one is for the other.
  bool takes_operands_of(const LinearFormat& other) const {
    return operand_bytes == other.operand_bytes && recipe == other.recipe;
  }

  friend bool operator==(const LinearFormat&, const LinearFormat&) = default;
};

class LinearFormats {
 public:
  LinearFormats() = default;
  // Of all parts.
  explicit LinearFormats(const LinearFormat& all) { by_part_.fill(all); }

  LinearFormat& operator[](LinearPart part) { return by_part_[index_of(part)]; }
  const LinearFormat& operator[](LinearPart part) const { return by_part_[index_of(part)]; }

  friend bool operator==(const LinearFormats&, const LinearFormats&) = default;

 private:
  std::array<LinearFormat, linear_part_names.size()> by_part_;
};

}  // namespace scalesweep::workload
