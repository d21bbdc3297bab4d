// Images and audio as an encoder takes them.
#pragma once

namespace scalesweep::workload {

struct Encoder;

// One image or recording as it is encoded.
struct EncodedInput {
  double pieces = 1.0;  // that are encoded each by itself
  // Of a piece, which attend to each other: patches of an image, a class token among them, or the
  // vectors of a clip.
  double patches = 0.0;
  double tokens = 0.0;  // that the language model gets of all pieces
};
// Tiles as InternVL chooses them (arXiv:2404.16821, section 3.2): of all grids of at most so many
// the one nearest in its aspect ratio; of equal ones the larger, where the image has more than half
// of its pixels. Whole images as Qwen2-VL scales them (arXiv:2409.12191, section 2.1): sides are
// multiples of those of a token. Of audio every clip is encoded as a whole, and what fills the last
// one makes no tokens.
EncodedInput encoded_input(const Encoder& encoder);
// Of all inputs of a sequence or request.
double encoded_tokens(const Encoder& encoder);

// What sequences of so many tokens may differ in their inputs: as asked for, and no more than if
// some have none and the others as many as they hold (Bhatia and Davis, American Mathematical
// Monthly 107, 2000).
double spread_in(const Encoder& encoder, double sequence);

}  // namespace scalesweep::workload
