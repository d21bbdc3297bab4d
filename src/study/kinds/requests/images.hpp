// Images and audio of a spec, in sequences that are trained on and in prompts.
#pragma once

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/inference/job.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

// Adds the tokens of images and audio to the prompts of all classes of requests.
void add_images(estimator::ServingJob& job);

// Images, recordings or parts to train of a model without an encoder of such, and more tokens of
// them than a sequence has.
void check_images(const space::Spec& spec, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics);

}  // namespace scalesweep::study
