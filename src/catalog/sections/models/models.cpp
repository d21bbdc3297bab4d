// Transformers.
#include <fmt/format.h>

#include <array>

#include "catalog/data.hpp"
#include "catalog/import/model_family.hpp"
#include "catalog/read/checkpoints.hpp"
#include "catalog/sections/models/encoders.hpp"
#include "catalog/sections/models/model_parts.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using workload::TransformerModel;

constexpr std::array<std::string_view, model_families.size()> family_names = [] {
  std::array<std::string_view, model_families.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = model_families[i].name;
  }
  return names;
}();

std::vector<Key> family_key() {
  Key family = name("family", "sets what the models of a family share, below", "\"llama\"");
  family.words = family_names;
  return {family};
}

// Who asks finds it among the values of the entry.
Field<TransformerModel> published_precision() {
  static constexpr auto formats = std::to_array<std::string_view>(
      {"fp8", "mxfp8", "mxfp6", "fp4", "mxfp4", "int8", "w4a16", "w8a16"});
  Key key = name("precision",
                 "that the weights are published in: `recommend` serves it so; `w4a16` and "
                 "`w8a16` are weights of so many bits, multiplied in 16. What a checkpoint keeps "
                 "wider is in `checkpoint`, below",
                 "\"fp8\"", "16 bits");
  key.words = formats;
  return {key, [](EntryReader& entry, TransformerModel&) { (void)entry.words("precision"); }};
}

// The same: catalog/read/checkpoints.hpp finds it.
Fields<TransformerModel> checkpoint_fields() {
  static constexpr auto formats =
      std::to_array<std::string_view>({"fp8", "mxfp8", "mxfp6", "fp4", "mxfp4", "int8"});
  Key published =
      name("checkpoints",
           "formats that checkpoints of it are published in; what they keep wider is in "
           "`checkpoint`",
           "[\"fp8\", \"fp4\"]", "that of `precision`");
  published.words = formats;
  published.list = true;
  Fields<TransformerModel> rows = {
      {published, [](EntryReader& entry, TransformerModel&) { (void)entry.words("checkpoints"); }}};
  Key each = name("*", "of one", "\"bf16\"", "as the others");
  each.words = technology::precision_names;
  std::vector<Key> inside;
  for (const CheckpointPart& part : checkpoint_parts) {
    const Key by_format = table(part.key, part.text, "as the others");
    Key one = each;
    one.path = path_in(by_format, each);
    inside.insert(inside.end(), {by_format, one});
  }
  const Fields<TransformerModel> tables = read_by_table<TransformerModel>(
      table("checkpoint",
            "linear layers that published checkpoints keep wider, by the format of the others",
            "none"),
      inside, [](EntryReader& entry, TransformerModel&) {
        EntryReader checkpoint = entry.optional_group("checkpoint");
        for (const CheckpointPart& part : checkpoint_parts) {
          EntryReader group = checkpoint.optional_group(part.key);
          read_precisions(group,
                          [&](std::size_t, const std::string& key) { (void)group.words(key); });
        }
      });
  rows.insert(rows.end(), tables.begin(), tables.end());
  return rows;
}

Field<TransformerModel> head_dim() {
  const Key key = integer("head_dim", "width of a head", "128", "`hidden` / `heads`");
  return {key, [key](EntryReader& entry, TransformerModel& model) {
            model.head_dim = entry.given_integer(key.path).value_or(model.hidden / model.heads);
          }};
}

Fields<TransformerModel> size_fields() {
  return {
      value(&TransformerModel::hidden, "hidden", "width of the hidden states", "4096"),
      value(&TransformerModel::layers, "layers", "layers", "32"),
      value(&TransformerModel::heads, "heads", "query heads", "32"),
      field(integer("kv_heads", "key-value heads, fewer with grouped queries", "8", "as `heads`"),
            &TransformerModel::kv_heads, &TransformerModel::heads),
      head_dim(),
      value(&TransformerModel::ffn, "ffn", "width of the MLP", "14336"),
      value(&TransformerModel::vocab, "vocab", "tokens of the vocabulary, padding included",
            "128256"),
      value(&TransformerModel::max_positions, "max_positions", "context length", "8192"),
      published_precision(),
      value(&TransformerModel::patch_inputs, "patch_inputs",
            "values that a GEMM embeds: of an image patch (ViT), or what the convolutions before "
            "an encoder of audio multiply for a vector",
            "768", "text"),
      or_zero(value(&TransformerModel::prediction_layers, "prediction_layers",
                    "multi-token prediction modules", "1", "0")),
      or_zero(value(&TransformerModel::bare_layers, "layers_without_mlp",
                    "of the layers without experts, those that have no MLP either: a stack where "
                    "mixers and MLPs are layers of their own has as many `layers` as mixers "
                    "(Nemotron-H)",
                    "10", "0")),
  };
}

// What an entry leaves out is as in its family.
Fields<TransformerModel> trait_fields() {
  constexpr std::string_view family = "of the family";
  return {
      truth(&TransformerModel::gated_ffn, "gated_ffn",
            "the MLP has three matrices (SwiGLU), not two (GELU)", family),
      truth(&TransformerModel::tied_embeddings, "tied_embeddings",
            "the output projection is the embedding table", family),
      truth(&TransformerModel::biases, "biases", "linear layers and norms have biases", family),
      truth(&TransformerModel::qkv_biases, "qkv_biases",
            "queries, keys and values have biases where nothing else has", "false"),
      truth(&TransformerModel::dropout, "dropout", "trained with dropout", family),
      truth(&TransformerModel::learned_positions, "learned_positions",
            "a table of positions, not rotary ones", family),
      truth(&TransformerModel::causal, "causal", "a decoder; false: every token sees all", family),
      truth(&TransformerModel::parallel_blocks, "parallel_blocks",
            "attention and MLP stand side by side behind one norm", "false"),
      truth(&TransformerModel::gated_attention, "gated_attention",
            "outputs of attention are gated by a projection as wide", "false"),
      number(&TransformerModel::rotary_share, {0.0, true, 1.0, true}, "rotary_share",
             "part of a head that rotates; 0: linear biases on the scores (ALiBi)", "0.25", "1"),
  };
}

// Rows of a table that code reads where it stands.
template <class Part>
Fields<TransformerModel> part_fields(const Key& table, const Fields<Part>& fields) {
  return read_by_table<TransformerModel>(table, keys_of(fields), nullptr);
}

Fields<TransformerModel> table_fields() {
  return joined<TransformerModel>(
      {local_attention_fields(),
       part_fields(table("linear",
                         "layers with a state instead of keys and values, that `attention.pattern` "
                         "names: each head has one of `key_dim` x `value_dim` (Mamba, gated "
                         "DeltaNet, Lightning attention)",
                         "none"),
                   linear_fields()),
       part_fields(table("sparse", "an indexer chooses the tokens that a query attends to", "none"),
                   sparse_fields()),
       part_fields(
           table("latent", "multi-head latent attention, instead of `kv_heads` and `head_dim`",
                 "none"),
           latent_fields()),
       part_fields(table("experts", "mixture of experts, instead of the MLP", "none"),
                   expert_fields()),
       by_hand<TransformerModel>(encoder_rows())});
}

const Fields<TransformerModel>& model_fields() {
  static const Fields<TransformerModel> fields =
      joined<TransformerModel>({by_hand<TransformerModel>(family_key()), size_fields(),
                                trait_fields(), checkpoint_fields(), table_fields()});
  return fields;
}

ModelFamily read_family(EntryReader& entry) {
  const Located name = entry.text("family");
  std::vector<std::string> known;
  for (const ModelFamily& family : model_families) {
    if (family.name == name.text) {
      return family;
    }
    known.emplace_back(family.name);
  }
  if (!name.text.empty()) {
    entry.table().error(
        "family", fmt::format("unknown family '{}'{}", name.text, suggestion(name.text, known)));
  }
  return model_families[0];
}

void set_traits(const ModelFamily& family, TransformerModel& model) {
  model.gated_ffn = family.gated_ffn;
  model.tied_embeddings = family.tied_embeddings;
  model.biases = family.biases;
  model.dropout = family.dropout;
  model.learned_positions = family.learned_positions;
  model.causal = family.causal;
}

// The table of layers with a state, and the pattern that names them, go together.
void check_linear(EntryReader& entry, TransformerModel& model) {
  const bool described = entry.has("linear");
  if (model.linear.layers > 0 && !described) {
    entry.table().error("attention",
                        fmt::format("{} layers are linear, and nothing says what they are; give "
                                    "the table 'linear' with heads, key_dim and value_dim, or name "
                                    "them window or whole",
                                    model.linear.layers));
  } else if (described && model.linear.layers == 0) {
    entry.table().error("linear",
                        "no layer is linear; name some in attention.pattern, as in \"3 linear, 1 "
                        "whole\", or leave the table out");
  }
  if (model.linear.layers > 0 && !model.causal) {
    entry.table().error("causal",
                        "a linear layer passes on what came before, and an encoder sees both ways; "
                        "set causal = true, or name its layers whole");
  }
}

void check_bare(EntryReader& entry, const TransformerModel& model) {
  const std::int64_t plain = model.layers - model.expert_layers();
  if (model.bare_layers > plain) {
    entry.table().error("layers_without_mlp",
                        fmt::format("{} layers without an MLP are more than those without experts, "
                                    "{}; give at most these",
                                    model.bare_layers, plain));
  }
}

void check_heads(const EntryReader& entry, const TransformerModel& model) {
  if (model.latent.on()) {
    return;  // its heads have their own widths
  }
  if (!entry.has("head_dim") && entry.has("hidden") && model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
  if (model.heads % model.kv_heads != 0) {
    entry.table().error("kv_heads", fmt::format("kv_heads = {} must divide heads = {}",
                                                model.kv_heads, model.heads));
  }
}

}  // namespace

std::vector<Key> model_rows() {
  return keys_of(model_fields());
}

ModelRecord read_model(EntryReader& entry, const std::string& name) {
  ModelRecord record;
  TransformerModel& model = record.model;
  model.name = name;
  set_traits(read_family(entry), model);
  read_fields(entry, model_fields(), model);
  if (entry.has("attention")) {
    read_attention(entry.group("attention"), model);
  }
  if (entry.has("linear")) {
    read_linear(entry.group("linear"), model.linear);
  }
  check_linear(entry, model);
  if (entry.has("sparse")) {
    model.sparse = read_sparse(entry.group("sparse"), model);
  }
  if (entry.has("latent")) {
    model.latent = read_latent(entry.group("latent"));
  }
  if (entry.has("experts")) {
    model.experts = read_experts(entry.group("experts"), model.layers);
  }
  check_bare(entry, model);
  check_heads(entry, model);
  record.encoder = read_encoder(entry, model);
  return record;
}

}  // namespace scalesweep::catalog
