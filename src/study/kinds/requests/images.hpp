// Images and audio of a spec, in sequences that are trained on and in prompts.
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
    {"images",
     [](AnyJob& j, const AxisValue& v) {
       if (!j.model.encoder.audio.on()) {
         j.model.encoder.inputs = v.number;
       }
     }},
    {"recordings",
     [](AnyJob& j, const AxisValue& v) {
       if (j.model.encoder.audio.on()) {
         j.model.encoder.inputs = v.number;
       }
     }},
    {"recording_length",
     [](AnyJob& j, const AxisValue& v) { j.model.encoder.length_s = v.number; }},
    {"input_spread", [](AnyJob& j, const AxisValue& v) { j.model.encoder.spread = v.number; }},
    {"image_width", [](AnyJob& j, const AxisValue& v) { j.model.encoder.width = v.integer(); }},
    {"image_height", [](AnyJob& j, const AxisValue& v) { j.model.encoder.height = v.integer(); }},
});

// Adds the tokens of images and audio to the prompts of all classes of requests.
void add_images(estimator::ServingJob& job);

// Images, recordings or parts to train of a model without an encoder of such, and more tokens of
// them than a sequence has.
void check_images(const space::Spec& spec, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics);

}  // namespace scalesweep::study
