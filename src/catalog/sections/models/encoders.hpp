// Encoders of images: how a model cuts images, and the model that encodes them.
#pragma once

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {

// The name of the encoder, and the tables of images and audio.
std::vector<Key> encoder_rows();

// Sets all of the model's encoder but its own model, which may stand further down, and gives its
// name; "" where there is none. The name and how it gets images go together.
Located read_encoder(EntryReader& entry, workload::TransformerModel& model);

}  // namespace scalesweep::catalog
