#include "catalog/sections/models/encoders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scalesweep::catalog {
namespace {

using workload::AudioClips;
using workload::Encoder;
using workload::ImageTiles;

// Of the keys of `images` those that are of tiles, or of images encoded whole.
void check_image_keys(const EntryReader& entry, bool tiled) {
  using namespace std::string_view_literals;
  for (const std::string_view key : {"most_tiles"sv, "overview"sv}) {
    if (entry.has(key) && !tiled) {
      entry.table().error(key,
                          "is of images cut into tiles; give the pixels of their side as tile, for "
                          "example 448, or leave it out");
    }
  }
  for (const std::string_view key : {"least_tokens"sv, "most_tokens"sv}) {
    if (entry.has(key) && tiled) {
      entry.table().error(key,
                          "is of images that are encoded whole, and tiles have all one size; leave "
                          "this key or tile out");
    }
  }
}

void check_tiles(const EntryReader& entry, const workload::ImageTiles& tiles) {
  const std::int64_t side = std::llround(std::sqrt(static_cast<double>(tiles.merged)));
  if (side * side != tiles.merged) {
    entry.table().error("merged", fmt::format("{} is not a square number; patches of a square "
                                              "become one token, as 1, 4 or 16 do",
                                              tiles.merged));
  } else if (tiles.side % tiles.patch != 0) {
    entry.table().error(
        "tile", fmt::format("{} pixels are no multiple of a patch of {}; give {}, what whole "
                            "patches fill",
                            tiles.side, tiles.patch,
                            std::max<std::int64_t>(1, tiles.side / tiles.patch) * tiles.patch));
  } else if (tiles.side / tiles.patch % side != 0) {
    entry.table().error(
        "merged", fmt::format("squares of {} x {} patches do not fill a tile of "
                              "{} x {}; give 1, or a tile that they fill",
                              side, side, tiles.side / tiles.patch, tiles.side / tiles.patch));
  }
  if (tiles.least_tokens > tiles.most_tokens) {
    entry.table().error("least_tokens", fmt::format("{} are more than most_tokens = {}",
                                                    tiles.least_tokens, tiles.most_tokens));
  }
}

Fields<ImageTiles> tile_fields() {
  return {
      value(&ImageTiles::patch, "patch", "pixels of a patch's side", "14"),
      value(&ImageTiles::side, "tile",
            "pixels of the side of the tiles that an image is cut into and scaled to", "448",
            "images are encoded whole, at about their own size"),
      value(&ImageTiles::most, "most_tiles",
            "tiles of an image at most: it takes the grid nearest to its aspect ratio", "12", "1"),
      truth(&ImageTiles::overview, "overview",
            "an image of several tiles has the whole of it as one more", "false"),
      value(&ImageTiles::merged, "merged",
            "patches that become one token, the square of how many of a row do", "4", "1"),
      value(&ImageTiles::least_tokens, "least_tokens",
            "an image encoded whole is scaled up to these", "64", "4"),
      value(&ImageTiles::most_tokens, "most_tokens",
            "an image encoded whole is scaled down to these", "1280", "16384"),
  };
}

const Fields<Encoder>& image_fields() {
  static const Fields<Encoder> fields = joined<Encoder>(
      {of_part(&Encoder::tiles, tile_fields()),
       {or_zero(value(&Encoder::projector_ffn, "projector_ffn",
                      "width between the two matrices of the projector; 0: it is one matrix",
                      "4096", "0"))}});
  return fields;
}

Fields<AudioClips> clip_fields() {
  return {
      quantity(&AudioClips::clip_s, Dimension::seconds, "clip",
               "of what is encoded at once; the last clip of a recording is filled up", "\"30 s\""),
      number(&AudioClips::vectors_per_s, above_zero, "vectors_per_second",
             "that the encoder makes of a second, behind its convolutions", "50"),
      value(&AudioClips::pooled, "pooled",
            "vectors of which the mean is taken before the projector", "2", "1"),
      value(&AudioClips::merged, "merged", "vectors side by side that become one token", "4", "1"),
  };
}

const Fields<Encoder>& audio_fields() {
  static const Fields<Encoder> fields =
      joined<Encoder>({of_part(&Encoder::audio, clip_fields()),
                       {or_zero(value(&Encoder::projector_ffn, "projector_ffn",
                                      "as `images.projector_ffn`", "5120", "0"))}});
  return fields;
}

// All of it but the encoder's own model, which may stand further down.
Encoder read_images(EntryReader entry) {
  entry.either({"tile", "most_tiles", "overview"}, {"least_tokens", "most_tokens"});
  Encoder encoder;
  read_fields(entry, image_fields(), encoder);
  check_image_keys(entry, encoder.tiles.side > 0);
  check_tiles(entry, encoder.tiles);
  return encoder;
}

Encoder read_audio(EntryReader entry) {
  Encoder encoder;
  read_fields(entry, audio_fields(), encoder);
  const double vectors = encoder.audio.vectors();
  if (vectors != std::round(vectors)) {
    entry.table().error("clip",
                        fmt::format("{:g} s are {:g} vectors; give a clip of a whole number "
                                    "of them",
                                    encoder.audio.clip_s, vectors));
  }
  return encoder;
}

}  // namespace

std::vector<Key> encoder_rows() {
  const Fields<Encoder> all = joined<Encoder>(
      {by_hand<Encoder>(
           {name("encoder",
                 "a model with `patch_inputs`, by its name, of whose vectors tokens are made; with "
                 "`images` or `audio`",
                 "\"clip-vit-l-14-336\"", "text alone")}),
       read_by_table<Encoder>(
           table("images", "how images become tokens; with `encoder`", "text alone"),
           keys_of(image_fields()), nullptr),
       read_by_table<Encoder>(
           table("audio", "how audio becomes tokens; with `encoder`", "text alone"),
           keys_of(audio_fields()), nullptr)});
  return keys_of(all);
}

Located read_encoder(EntryReader& entry, workload::TransformerModel& model) {
  entry.either({"images"}, {"audio"});
  const Located encoder = entry.given_text("encoder").value_or(Located{});
  const bool images = entry.has("images");
  const bool audio = entry.has("audio");
  if (images) {
    model.encoder = read_images(entry.group("images"));
  }
  if (audio) {
    model.encoder = read_audio(entry.group("audio"));
  }
  if (images && audio) {
    entry.table().error("audio",
                        "a model has one encoder, and 'images' says what it reads; leave "
                        "one of the two tables out");
  } else if ((images || audio) && !entry.has("encoder")) {
    entry.table().error(images ? "images" : "audio",
                        "nothing encodes them; name a model that has patch_inputs as encoder, or "
                        "leave the table out");
  } else if (!images && !audio && entry.has("encoder")) {
    entry.table().error("encoder",
                        "nothing says what becomes tokens; give the table 'images' with patch, for "
                        "example 14, or 'audio' with clip, for example \"30 s\", or leave the "
                        "encoder out");
  }
  return encoder;
}

namespace {

// What does not fit between a model and the encoder that it names; "" if all does.
std::string misfit(const workload::TransformerModel& encoder, const ModelRecord& of) {
  const std::string& name = of.encoder.text;
  const workload::ImageTiles& tiles = of.model.encoder.tiles;
  if (encoder.patch_inputs == 0) {
    return fmt::format("'{}' takes neither images nor audio; name a model that has patch_inputs",
                       name);
  }
  if (const workload::AudioClips& audio = of.model.encoder.audio; audio.on()) {
    return encoder.learned_positions && audio.vectors() > static_cast<double>(encoder.max_positions)
               ? fmt::format(
                     "a clip has {:g} vectors and '{}' positions for {}; give a shorter "
                     "audio.clip, or name an encoder of longer ones",
                     audio.vectors(), name, encoder.max_positions)
               : "";
  }
  if (encoder.patch_inputs % (tiles.patch * tiles.patch) != 0) {
    return fmt::format(
        "patches of '{}' have patch_inputs = {}, which are no whole number of "
        "values for each of {} x {} pixels; give it that images.patch",
        name, encoder.patch_inputs, tiles.patch, tiles.patch);
  }
  const std::int64_t across = tiles.side / tiles.patch;
  if (encoder.learned_positions && across * across > encoder.max_positions) {
    return fmt::format(
        "a tile has {} patches and '{}' positions for {}; give a smaller "
        "images.tile, or name an encoder of larger images",
        across * across, name, encoder.max_positions);
  }
  return "";
}

}  // namespace

void join_encoders(CatalogData& data, Diagnostics& diagnostics) {
  for (auto& [name, record] : data.models) {
    const Entry* const entry = data.entry(Section::models, record.encoder.text);
    if (record.encoder.text.empty() || entry == nullptr) {
      continue;  // there is none, or it is unknown and reported
    }
    const ModelRecord& encoder = data.models.at(entry->name);
    if (!encoder.encoder.text.empty()) {
      diagnostics.error(record.encoder.position,
                        fmt::format("'{}' has an encoder itself, '{}'; name that one, or another "
                                    "model that has patch_inputs",
                                    record.encoder.text, encoder.encoder.text));
    } else if (const std::string problem = misfit(encoder.model, record); !problem.empty()) {
      diagnostics.error(record.encoder.position, problem);
    } else {
      record.model.encoder.model =
          std::make_shared<const workload::TransformerModel>(encoder.model);
    }
  }
}

}  // namespace scalesweep::catalog
