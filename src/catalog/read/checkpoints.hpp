// Published checkpoints of the models of a catalog: which linear layers keep a wider format.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "technology/precision.hpp"

namespace scalesweep::catalog {

// A key of the table `checkpoint` of a model, which has a format for each format of checkpoints.
struct CheckpointPart {
  std::string_view key;
  std::string_view text;
  std::optional<technology::Precision> technology::CheckpointFormats::*format;
};
inline constexpr auto checkpoint_parts = std::to_array<CheckpointPart>({
    {"operands", "what the narrowed layers are multiplied in, where that is wider (weights alone)",
     &technology::CheckpointFormats::operands},
    {"attention", "projections of attention, latent ones too, and mixers of layers with a state",
     &technology::CheckpointFormats::attention},
    {"attention_output", "of those the last one, where it differs",
     &technology::CheckpointFormats::attention_output},
    {"shared", "shared experts", &technology::CheckpointFormats::shared},
    {"mlp", "of layers without experts, in a model that has others",
     &technology::CheckpointFormats::mlp},
    {"head", "embedding and output projection; 16 bits where nothing is said",
     &technology::CheckpointFormats::head},
});

// Formats that checkpoints of a model are published in, in the order of the names; none of a name
// that the catalog does not have.
std::vector<technology::Precision> checkpoints_of(const Catalog& catalog, const std::string& model);

// Nothing where none is published in this format.
std::optional<technology::CheckpointFormats> checkpoint_of(const Catalog& catalog,
                                                           const std::string& model,
                                                           technology::Precision format);

}  // namespace scalesweep::catalog
