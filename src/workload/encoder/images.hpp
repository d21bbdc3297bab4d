// Images as an encoder takes them.
#pragma once

#include "workload/model.hpp"

namespace scalesweep::workload {

// One image as it is encoded.
struct EncodedImage {
  double pieces = 1.0;   // that are encoded each by itself
  double patches = 0.0;  // of a piece, which attend to each other; a class token among them
  double tokens = 0.0;   // that the language model gets of all pieces
};
// Tiles as InternVL chooses them (arXiv:2404.16821, section 3.2): of all grids of at most so many
// the one nearest in its aspect ratio; of equal ones the larger, where the image has more than half
// of its pixels. Whole images as Qwen2-VL scales them (arXiv:2409.12191, section 2.1): sides are
// multiples of those of a token.
EncodedImage encoded_image(const Encoder& encoder);
// Of all images of a sequence or request.
double image_tokens(const Encoder& encoder);

}  // namespace scalesweep::workload
