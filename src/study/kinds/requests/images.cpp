#include "study/kinds/requests/images.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "study/resolve/check_names.hpp"
#include "workload/encoder/inputs.hpp"

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

// Models of which a value of an axis asks what they have not.
void check_encoders(const space::Spec& spec, const catalog::Catalog& catalog, std::string_view axis,
                    const std::string& value, const SourcePosition& position,
                    std::string_view missing, bool (*has)(const workload::Encoder&),
                    Diagnostics& diagnostics) {
  for_each_label(spec, "model", [&](const std::string& model, const SourcePosition&) {
    if (catalog.has(Section::models, model) && !has(catalog.model(model).encoder)) {
      diagnostics.error(
          position, fmt::format("{} = {}, but '{}' has no encoder{}; choose a model that has one, "
                                "or leave '{}' out",
                                axis, value, model, missing, axis));
    }
  });
}

bool reads_images(const workload::Encoder& encoder) {
  return encoder.on() && !encoder.audio.on();
}

bool reads_audio(const workload::Encoder& encoder) {
  return encoder.on() && encoder.audio.on();
}

// What the encoder of a model is asked for at most.
workload::Encoder most_asked(const space::Spec& spec, workload::Encoder encoder) {
  const workload::Encoder usual;
  encoder.inputs = most_of(spec, encoder.audio.on() ? "recordings" : "images", 0.0);
  encoder.width = std::llround(most_of(spec, "image_width", static_cast<double>(usual.width)));
  encoder.height = std::llround(most_of(spec, "image_height", static_cast<double>(usual.height)));
  encoder.length_s = most_of(spec, "recording_length", usual.length_s);
  return encoder;
}

}  // namespace

void add_images(estimator::ServingJob& job) {
  workload::Encoder& encoder = job.inference.model.encoder;
  if (!encoder.asked()) {
    return;
  }
  const double tokens = workload::encoded_tokens(encoder);
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
  const auto check_asked = [&](const char* axis, std::string_view missing,
                               bool (*has)(const workload::Encoder&)) {
    for_each_value(spec, axis,
                   [&](double inputs, const std::string&, const SourcePosition& position) {
                     if (inputs > 0.0) {
                       check_encoders(spec, catalog, axis, fmt::format("{:g}", inputs), position,
                                      missing, has, diagnostics);
                     }
                   });
  };
  check_asked("images", " of images", reads_images);
  check_asked("recordings", " of audio", reads_audio);
  for_each_label(spec, "trained", [&](const std::string& name, const SourcePosition& position) {
    if (name != workload::trained_parts_names[workload::TrainedParts::all]) {
      check_encoders(
          spec, catalog, "trained", fmt::format("\"{}\"", name), position, "",
          [](const workload::Encoder& encoder) { return encoder.on(); }, diagnostics);
    }
  });
  for_each_pair(spec, "sequence", "model", [&](const ValueAt& sequence, const ValueAt& model) {
    if (!catalog.has(Section::models, model.label)) {
      return;
    }
    const workload::Encoder encoder = most_asked(spec, catalog.model(model.label).encoder);
    if (encoder.asked() && workload::encoded_tokens(encoder) > sequence.number) {
      const char* const inputs = encoder.audio.on() ? "recordings" : "images";
      diagnostics.error(sequence.position,
                        fmt::format("{0:g} {1} are {2:.0f} tokens of '{3}', more than a sequence "
                                    "of {4:.0f}; write a longer sequence or fewer {1}",
                                    encoder.inputs, inputs, workload::encoded_tokens(encoder),
                                    model.label, sequence.number));
    }
  });
}

}  // namespace scalesweep::study
