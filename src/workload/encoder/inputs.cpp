#include "workload/encoder/inputs.hpp"
#include "workload/encoder/encoder.hpp"
#include "workload/model.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::workload {
namespace {

// Of tokens that encoders put before the patches: positions that no patch of a tile has.
double class_tokens(const Encoder& encoder, double patches) {
  return encoder.model->learned_positions
             ? std::max(0.0, static_cast<double>(encoder.model->max_positions) - patches)
             : 0.0;
}

struct Grid {
  std::int64_t columns = 1;
  std::int64_t rows = 1;
  std::int64_t tiles() const { return columns * rows; }
};

Grid grid_of(const Encoder& encoder) {
  const ImageTiles& tiles = encoder.tiles;
  const double aspect = static_cast<double>(encoder.width) / static_cast<double>(encoder.height);
  const double pixels = static_cast<double>(encoder.width) * static_cast<double>(encoder.height);
  const auto of_tile = static_cast<double>(tiles.side * tiles.side);
  Grid best;
  double nearest = std::abs(aspect - 1.0);
  for (std::int64_t count = 2; count <= tiles.most; ++count) {
    for (std::int64_t columns = 1; columns <= count; ++columns) {
      if (count % columns != 0) {
        continue;
      }
      const Grid grid = {columns, count / columns};
      const double off =
          std::abs(aspect - static_cast<double>(grid.columns) / static_cast<double>(grid.rows));
      const bool filled = pixels > 0.5 * of_tile * static_cast<double>(count);
      if (off < nearest || (off == nearest && filled)) {
        nearest = off;
        best = grid;
      }
    }
  }
  return best;
}

EncodedInput in_tiles(const Encoder& encoder) {
  const ImageTiles& tiles = encoder.tiles;
  const auto across = static_cast<double>(tiles.side / tiles.patch);
  const double patches = across * across;
  const std::int64_t count = grid_of(encoder).tiles();
  EncodedInput image;
  image.pieces = static_cast<double>(count + (tiles.overview && count > 1 ? 1 : 0));
  image.patches = patches + class_tokens(encoder, patches);
  image.tokens = image.pieces * patches / static_cast<double>(tiles.merged);
  return image;
}

EncodedInput whole(const Encoder& encoder) {
  const ImageTiles& tiles = encoder.tiles;
  const double side =
      static_cast<double>(tiles.patch) * std::sqrt(static_cast<double>(tiles.merged));
  const auto width = static_cast<double>(encoder.width);
  const auto height = static_cast<double>(encoder.height);
  double columns = std::max(1.0, std::round(width / side));
  double rows = std::max(1.0, std::round(height / side));
  const auto scaled = [&](double tokens, auto&& fit) {
    const double by = std::sqrt(tokens * side * side / (width * height));
    columns = std::max(1.0, fit(width * by / side));
    rows = std::max(1.0, fit(height * by / side));
  };
  if (columns * rows > static_cast<double>(tiles.most_tokens)) {
    scaled(static_cast<double>(tiles.most_tokens), [](double x) { return std::floor(x); });
  } else if (columns * rows < static_cast<double>(tiles.least_tokens)) {
    scaled(static_cast<double>(tiles.least_tokens), [](double x) { return std::ceil(x); });
  }
  EncodedInput image;
  image.tokens = columns * rows;
  image.patches = image.tokens * static_cast<double>(tiles.merged);
  return image;
}

EncodedInput in_clips(const Encoder& encoder) {
  const AudioClips& audio = encoder.audio;
  EncodedInput recording;
  recording.pieces = std::ceil(encoder.length_s / audio.clip_s);
  recording.patches = audio.vectors();
  recording.tokens = std::ceil(encoder.length_s * audio.vectors_per_s /
                               static_cast<double>(audio.pooled * audio.merged));
  return recording;
}

}  // namespace

EncodedInput encoded_input(const Encoder& encoder) {
  if (encoder.audio.on()) {
    return in_clips(encoder);
  }
  return encoder.tiles.side > 0 ? in_tiles(encoder) : whole(encoder);
}

double encoded_tokens(const Encoder& encoder) {
  return encoder.asked() ? encoder.inputs * encoded_input(encoder).tokens : 0.0;
}

double spread_in(const Encoder& encoder, double sequence) {
  if (!encoder.asked() || encoder.spread <= 0.0) {
    return 0.0;
  }
  const double most = std::floor(sequence / encoded_input(encoder).tokens);
  return std::min(encoder.spread, std::sqrt(std::max(0.0, most / encoder.inputs - 1.0)));
}

}  // namespace scalesweep::workload
