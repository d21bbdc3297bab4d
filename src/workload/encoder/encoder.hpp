// What makes tokens of a language model out of images or audio: an encoder, and a projector behind
// it (LLaVA, Liu et al., arXiv:2310.03744; InternVL, Chen et al., arXiv:2404.16821; Qwen2-VL, Wang
// et al., arXiv:2409.12191; Qwen2-Audio, Chu et al., arXiv:2407.10759).
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

// How a model cuts audio: clips of one length, the last one filled up, of each of which the encoder
// makes vectors at a fixed rate (Whisper: Radford et al., arXiv:2212.04356, section 2.2).
struct AudioClips {
  double clip_s = 0.0;  // 0: the encoder is of images
  double vectors_per_s = 50.0;
  std::int64_t pooled = 1;  // vectors of which the mean is taken
  std::int64_t merged = 1;  // of those, what becomes one token side by side

  bool on() const { return clip_s > 0.0; }
  // Of a clip, which attend to each other.
  double vectors() const { return clip_s * vectors_per_s; }
  friend bool operator==(const AudioClips&, const AudioClips&) = default;
};

struct Encoder {
  std::shared_ptr<const TransformerModel> model = nullptr;  // its head is not run; null: none
  ImageTiles tiles = {};
  AudioClips audio = {};           // instead of tiles where on()
  std::int64_t projector_ffn = 0;  // between the two matrices of the projector; 0: it is one

  // What a workload asks of it.
  double inputs = 0.0;       // images or recordings, of a sequence or a request, in the mean
  std::int64_t width = 448;  // of an image, pixels
  std::int64_t height = 448;
  double length_s = 30.0;  // of a recording
  // Standard deviation of what a sequence has of them over its mean.
  double spread = 0.0;
  // Of the tokens of a sequence's prompt, those of its inputs included; read by inference alone.
  double prompt_tokens = 0.0;

  bool on() const { return model != nullptr; }
  bool asked() const { return on() && inputs > 0.0; }
  // Vectors of the encoder side by side that the projector takes.
  std::int64_t merged() const { return audio.on() ? audio.merged : tiles.merged; }
  friend bool operator==(const Encoder& a, const Encoder& b);
};

}  // namespace scalesweep::workload
