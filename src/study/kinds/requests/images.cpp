#include "study/kinds/requests/images.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "study/resolve/check_names.hpp"
#include "workload/encoder/images.hpp"

namespace scalesweep::study {
namespace {

using catalog::Section;

// The largest that a spec asks for.
double most_of(const space::Spec& spec, const std::string& axis, double fallback) {
  double most = 0.0;
  bool given = false;
  for_each_value(spec, axis, [&](double value, const std::string&, const SourcePosition&) {
    most = std::max(most, value);
    given = true;
  });
  return given ? most : fallback;
}

void check_encoders(const space::Spec& spec, const catalog::Catalog& catalog, std::string_view axis,
                    const std::string& name, const SourcePosition& position,
                    Diagnostics& diagnostics) {
  for_each_label(spec, "model", [&](const std::string& model, const SourcePosition&) {
    if (catalog.has(Section::models, model) && !catalog.model(model).encoder.on()) {
      diagnostics.error(
          position,
          fmt::format("{} = {}, but '{}' has no encoder of images; choose a model that has one, "
                      "or leave '{}' out",
                      axis, name, model, axis));
    }
  });
}

}  // namespace

void add_images(estimator::ServingJob& job) {
  workload::Encoder& encoder = job.inference.model.encoder;
  if (!encoder.asked()) {
    return;
  }
  const double tokens = workload::image_tokens(encoder);
  double prompts = 0.0;
  double shares = 0.0;
  for (estimator::RequestClass& requests : job.requests) {
    requests.prompt += tokens;
    prompts += requests.share * requests.prompt;
    shares += requests.share;
  }
  encoder.prompt_tokens = prompts / shares;
}

void check_images(const space::Spec& spec, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics) {
  for_each_value(spec, "images",
                 [&](double images, const std::string&, const SourcePosition& position) {
                   if (images > 0.0) {
                     check_encoders(spec, catalog, "images", fmt::format("{:g}", images), position,
                                    diagnostics);
                   }
                 });
  for_each_label(spec, "trained", [&](const std::string& name, const SourcePosition& position) {
    if (name != workload::trained_parts_names[workload::TrainedParts::all]) {
      check_encoders(spec, catalog, "trained", fmt::format("\"{}\"", name), position, diagnostics);
    }
  });
  const double images = most_of(spec, "images", 0.0);
  if (images <= 0.0) {
    return;
  }
  for_each_pair(spec, "sequence", "model", [&](const ValueAt& sequence, const ValueAt& model) {
    if (!catalog.has(Section::models, model.label)) {
      return;
    }
    workload::Encoder encoder = catalog.model(model.label).encoder;
    encoder.images = images;
    encoder.width =
        std::llround(most_of(spec, "image_width", static_cast<double>(workload::Encoder{}.width)));
    encoder.height = std::llround(
        most_of(spec, "image_height", static_cast<double>(workload::Encoder{}.height)));
    if (encoder.asked() && workload::image_tokens(encoder) > sequence.number) {
      diagnostics.error(
          sequence.position,
          fmt::format("{:g} images are {:.0f} tokens of '{}', more than a sequence "
                      "of {:.0f}; write a longer sequence or fewer images",
                      images, workload::image_tokens(encoder), model.label, sequence.number));
    }
  });
}

}  // namespace scalesweep::study
