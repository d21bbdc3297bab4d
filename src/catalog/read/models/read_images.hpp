// Encoders of images: how a model cuts images, and the model that encodes them.
#pragma once

#include "catalog/data.hpp"

namespace scalesweep::catalog {

// Sets all of the model's encoder but its own model, which may stand further down, and gives its
// name; "" where there is none. The name and how it gets images go together.
Located read_encoder(EntryReader& entry, workload::TransformerModel& model);

}  // namespace scalesweep::catalog
