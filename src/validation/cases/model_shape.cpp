#include "validation/cases/model_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::validation {
namespace {

using workload::TransformerModel;

// What a shape may say beside its sizes: a column, and the value of a model.
struct ShapeColumn {
  std::string_view name;
  std::int64_t (*value)(const TransformerModel& model);
};
constexpr std::array<ShapeColumn, 9> shape_columns = {{
    {"head_dim", [](const TransformerModel& m) { return m.head_dim; }},
    {"sliding_window", [](const TransformerModel& m) { return m.local.window; }},
    {"sliding_layers", [](const TransformerModel& m) { return m.local.layers; }},
    {"experts", [](const TransformerModel& m) { return m.experts.count; }},
    {"experts_per_token", [](const TransformerModel& m) { return m.experts.top_k; }},
    {"expert_ffn", [](const TransformerModel& m) { return m.experts.ffn; }},
    {"shared_expert_ffn", [](const TransformerModel& m) { return m.experts.shared_ffn; }},
    {"dense_layers", [](const TransformerModel& m) { return m.experts.dense_layers; }},
    {"expert_every", [](const TransformerModel& m) { return m.experts.every; }},
}};

// A cell that means another model than the one that the row names.
void check_agrees(RowReader& row, const TransformerModel& published) {
  for (const ShapeColumn& column : shape_columns) {
    if (!row.has(column.name)) {
      continue;
    }
    const std::int64_t wanted = row.integer(column.name, std::nullopt, 0);
    const std::int64_t is = column.value(published);
    if (row.good() && wanted != is) {
      row.error(
          column.name,
          fmt::format("{} of the catalog has {}, not {}; leave the cell empty, or leave model "
                      "empty and write the shape in its columns",
                      published.name, is, wanted));
    }
  }
}

TransformerModel read_named(RowReader& row, const CaseDefaults& defaults) {
  const std::string name = row.entry("model", catalog::Section::models);
  if (name.empty()) {
    return {};
  }
  const TransformerModel published = defaults.catalog.model(name);
  check_agrees(row, published);
  return workload::with_layers(published, row.integer("layers", published.layers));
}

void read_experts(RowReader& row, TransformerModel& model) {
  workload::Experts& experts = model.experts;
  if (!row.has("experts")) {
    for (const std::string_view column :
         {"experts_per_token", "expert_ffn", "shared_expert_ffn", "dense_layers", "expert_every"}) {
      if (row.has(column)) {
        row.error(column,
                  "is of models with experts; write their number in the column experts, or "
                  "leave this cell empty");
      }
    }
    return;
  }
  experts.count = row.integer("experts", std::nullopt);
  experts.top_k = row.integer("experts_per_token", std::nullopt);
  experts.ffn = row.integer("expert_ffn", model.ffn);
  experts.shared_ffn = row.integer("shared_expert_ffn", 0, 0);
  experts.dense_layers = row.integer("dense_layers", 0, 0);
  experts.every = row.integer("expert_every", 1);
  experts.request_skew = workload::usual_request_skew(experts.count);
  if (row.good() && experts.top_k > experts.count) {
    row.error("experts_per_token", fmt::format("a token cannot go to {} of {} experts; write at "
                                               "most {}",
                                               experts.top_k, experts.count, experts.count));
  }
  if (row.good() && experts.dense_layers >= model.layers) {
    row.error("dense_layers",
              fmt::format("{} of {} layers leave none with experts; write less, or leave experts "
                          "empty",
                          experts.dense_layers, model.layers));
  }
}

void read_window(RowReader& row, TransformerModel& model) {
  if (!row.has("sliding_window")) {
    if (row.has("sliding_layers")) {
      row.error("sliding_layers", "needs the tokens of their window in the column sliding_window");
    }
    return;
  }
  model.local.window = row.integer("sliding_window", std::nullopt);
  model.local.layers = row.integer("sliding_layers", model.layers);
  if (row.good() && model.local.layers > model.layers) {
    row.error("sliding_layers",
              fmt::format("the model has {} layers, not {}", model.layers, model.local.layers));
  }
}

TransformerModel read_shape(RowReader& row, const ShapeDefaults& shape) {
  TransformerModel model;
  if (!row.knows("hidden") && !row.knows("layers")) {
    row.error("model", "is required: a model of the catalog, or hidden, layers, heads and vocab");
    return model;
  }
  model.hidden = row.integer("hidden", std::nullopt);
  model.layers = row.integer("layers", std::nullopt);
  model.heads = row.integer("heads", std::nullopt);
  model.kv_heads = row.integer("kv_heads", model.heads);
  model.head_dim = row.integer("head_dim", model.hidden / model.heads, 0);
  model.ffn = row.integer("ffn", 4 * model.hidden);
  model.vocab = row.integer("vocab", std::nullopt);
  model.gated_ffn = row.boolean("gated_ffn", false);
  model.tied_embeddings = row.boolean("tied_embeddings", false);
  model.max_positions = shape.positions;
  read_experts(row, model);
  read_window(row, model);
  if (row.has("head_dim") && model.head_dim == 0) {
    row.error("head_dim", "'0' is not a whole number of at least 1");
  }
  // What the GPT family and later models differ in besides the MLP.
  const bool grouped = model.kv_heads < model.heads;
  model.biases = model.dropout = model.learned_positions =
      shape.plain_gpt && !model.gated_ffn && !grouped && !model.experts.on();
  return model;
}

}  // namespace

TransformerModel read_model(RowReader& row, const CaseDefaults& defaults,
                            const ShapeDefaults& shape) {
  return row.has("model") ? read_named(row, defaults) : read_shape(row, shape);
}

namespace {

// Figures of inputs that there are none of.
void refuse_figures(RowReader& row, std::string_view inputs,
                    std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns) {
    if (!row.has(inputs) && row.has(column)) {
      row.error(column, fmt::format("is of {0}; write how many there are in the column {0}, or "
                                    "leave this cell empty",
                                    inputs));
    }
  }
}

}  // namespace

void read_inputs(RowReader& row, TransformerModel& model) {
  refuse_figures(row, "images", {"image_width", "image_height"});
  refuse_figures(row, "recordings", {"recording_s"});
  workload::Encoder& encoder = model.encoder;
  const bool audio = encoder.audio.on();
  const auto refuse = [&](std::string_view column, std::string_view what, std::string_view one) {
    row.error(column, fmt::format("the model has no encoder of {}; name one that has, such as {}, "
                                  "or leave this cell empty",
                                  what, one));
  };
  if (row.has("images") && (!encoder.on() || audio)) {
    refuse("images", "images", "llava-1.5-7b");
    return;
  }
  if (row.has("recordings") && !audio) {
    refuse("recordings", "audio", "qwen2-audio-7b");
    return;
  }
  if (row.has("recordings")) {
    encoder.inputs = row.number("recordings").value_or(0.0);
    encoder.length_s = row.number("recording_s").value_or(encoder.length_s);
  }
  if (row.has("images")) {
    encoder.inputs = row.number("images").value_or(0.0);
    // Where all images are scaled to one tile, their own size does not matter.
    const workload::ImageTiles& tiles = encoder.tiles;
    const bool one_tile = tiles.side > 0 && tiles.most == 1;
    const auto side = one_tile ? std::optional(tiles.side) : std::nullopt;
    encoder.width = row.integer("image_width", side);
    encoder.height = row.integer("image_height", side);
  }
}

std::string shape_name(const workload::TransformerModel& model) {
  return model.name.empty()
             ? fmt::format("{} wide, {} layers, {} heads", model.hidden, model.layers, model.heads)
             : fmt::format("{}, {} layers", model.name, model.layers);
}

}  // namespace scalesweep::validation
