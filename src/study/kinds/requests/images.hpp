// Images of a spec, in sequences that are trained on and in prompts.
#pragma once

#include <array>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/inference/job.hpp"
#include "space/spec/spec.hpp"
#include "study/resolve/point_axes.hpp"

namespace scalesweep::study {

// What axes say of the encoder of a job's model; after "model", which replaces it.
template <typename AnyJob>
inline constexpr auto image_rules = std::to_array<AxisRule<AnyJob>>({
    {"images", [](AnyJob& j, const AxisValue& v) { j.model.encoder.images = v.number; }},
    {"image_width", [](AnyJob& j, const AxisValue& v) { j.model.encoder.width = v.integer(); }},
    {"image_height", [](AnyJob& j, const AxisValue& v) { j.model.encoder.height = v.integer(); }},
});

// Adds the tokens of images to the prompts of all classes of requests.
void add_images(estimator::ServingJob& job);

// Images or parts to train of a model without an encoder, and images whose tokens are more than a
// sequence.
void check_images(const space::Spec& spec, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics);

}  // namespace scalesweep::study
