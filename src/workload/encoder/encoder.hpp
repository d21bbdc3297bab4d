// What makes tokens of a language model out of images: an encoder of patches, and a projector
// behind it (LLaVA, Liu et al., arXiv:2310.03744; InternVL, Chen et al., arXiv:2404.16821;
// Qwen2-VL, Wang et al., arXiv:2409.12191).
#pragma once

#include <cstdint>
#include <memory>

namespace scalesweep::workload {

struct TransformerModel;

// How a model cuts images. Sides in pixels.
struct ImageTiles {
  std::int64_t patch = 14;
  std::int64_t side = 0;          // of a tile, which parts of an image are scaled to; 0: images are
                                  // encoded whole, at about their own size
  std::int64_t most = 1;          // tiles of an image
  bool overview = false;          // the whole image is one more, where there are several
  std::int64_t merged = 1;        // patches that become one token
  std::int64_t least_tokens = 4;  // of an image that is encoded whole: it is scaled up to these
  std::int64_t most_tokens = 16384;  // ... or down to these

  friend bool operator==(const ImageTiles&, const ImageTiles&) = default;
};

struct Encoder {
  std::shared_ptr<const TransformerModel> model = nullptr;  // its head is not run; null: none
  ImageTiles tiles = {};
  std::int64_t projector_ffn = 0;  // between the two matrices of the projector; 0: it is one

  // What a workload asks of it.
  double images = 0.0;  // of a sequence or a request, in the mean
  std::int64_t width = 448;
  std::int64_t height = 448;
  // Of the tokens of a sequence's prompt, those of its images included; read by inference alone.
  double prompt_tokens = 0.0;

  bool on() const { return model != nullptr; }
  bool asked() const { return on() && images > 0.0; }
  friend bool operator==(const Encoder& a, const Encoder& b);
};

}  // namespace scalesweep::workload
