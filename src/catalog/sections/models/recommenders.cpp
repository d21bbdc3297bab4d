// Models with embedding tables.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using workload::Interaction;
using workload::RecommendationModel;

Key sizes(std::string_view path, std::string_view text, std::string_view example,
          std::string_view fallback = required) {
  Key key = integer(path, text, example, fallback);
  key.list = true;
  return key;
}

// A size that goes with an interaction, which must say it; 0 with others.
Field<RecommendationModel> size_with(Interaction interaction, const Key& key,
                                     std::int64_t RecommendationModel::*member) {
  return {key, [interaction, key, member](EntryReader& entry, RecommendationModel& model) {
            const std::optional<std::int64_t> size = entry.given_integer(key.path);
            const bool goes = model.interaction == interaction;
            if (goes && !size) {
              entry.table().error("interaction",
                                  fmt::format("needs {}, for example {}", key.path, key.example));
            }
            model.*member = goes ? size.value_or(1) : 0;
          }};
}

Fields<RecommendationModel> table_keys() {
  return by_hand<RecommendationModel>({
      sizes("table_rows", "rows of each table", "[40000000, 39060]"),
      sizes("table_dim", "elements of a row: of all tables, or of each", "128"),
      sizes("table_pooling", "rows of a table that a sample reads and adds up: the same way",
            "[3, 2]", "1"),
      sizes("table_count", "tables that are alike: the same way", "8", "1"),
  });
}

Fields<RecommendationModel> network_fields() {
  return {
      number(&RecommendationModel::access_skew, from_zero, "access_skew",
             "exponent of the Zipf law by which rows of a table are popular; 0: all alike", "1.05",
             "0"),
      value(&RecommendationModel::dense_features, "dense_features",
            "numbers of a sample, inputs of the bottom MLP", "13"),
      field(sizes("bottom_widths",
                  "of the layers of the bottom MLP; with `dot` the last is `table_dim`",
                  "[512, 256, 128]"),
            &RecommendationModel::bottom_widths),
      field(sizes("top_widths", "of the layers of the top MLP", "[1024, 512, 1]"),
            &RecommendationModel::top_widths),
      choice(name("interaction",
                  "what brings rows and dense features together. `dot`: products of all "
                  "pairs of vectors; `cross`: layers of DCN-v2 over all of them joined; "
                  "`sequence`: rows are tokens of a history, which layers of HSTU go over",
                  "\"cross\"", "\"dot\""),
             &RecommendationModel::interaction, workload::interaction_names),
      size_with(Interaction::cross,
                integer("cross_layers", "with `cross`: layers", "3", "required with `cross`"),
                &RecommendationModel::cross_layers),
      size_with(
          Interaction::sequence,
          integer("sequence_layers", "with `sequence`: layers", "8", "required with `sequence`"),
          &RecommendationModel::sequence_layers),
      size_with(Interaction::sequence,
                integer("sequence_heads", "with `sequence`: heads of a layer", "8",
                        "required with `sequence`"),
                &RecommendationModel::sequence_heads),
      size_with(Interaction::sequence,
                integer("sequence_head_dim", "with `sequence`: width of a head", "64",
                        "required with `sequence`"),
                &RecommendationModel::sequence_head_dim),
      size_with(Interaction::cross,
                integer("cross_rank", "with `cross`: inner size of the two matrices of a layer",
                        "512", "required with `cross`"),
                &RecommendationModel::cross_rank),
  };
}

const Fields<RecommendationModel>& recommender_fields() {
  static const Fields<RecommendationModel> fields =
      joined<RecommendationModel>({table_keys(), network_fields()});
  return fields;
}

// A size of each table, where one stands for all; nothing where there are others (and then
// reported).
std::int64_t size_of(const std::vector<std::int64_t>& sizes, std::size_t table,
                     std::int64_t fallback) {
  if (sizes.empty()) {
    return fallback;
  }
  return sizes[std::min(table, sizes.size() - 1)];
}

std::vector<std::int64_t> read_sizes(EntryReader& entry, std::string_view key, std::size_t tables) {
  if (!entry.has(key)) {
    return {};
  }
  std::vector<std::int64_t> sizes = entry.integers(key);
  if (sizes.size() > 1 && sizes.size() != tables) {
    entry.table().error(key,
                        fmt::format("has {} values and table_rows {}; give one for all tables, "
                                    "or one for each",
                                    sizes.size(), tables));
  }
  return sizes;
}

std::vector<workload::TableGroup> read_tables(EntryReader& entry) {
  const std::vector<std::int64_t> rows = entry.integers("table_rows");
  const std::vector<std::int64_t> dims = entry.has("table_dim")
                                             ? read_sizes(entry, "table_dim", rows.size())
                                             : entry.integers("table_dim");  // reports it
  const std::vector<std::int64_t> pooling = read_sizes(entry, "table_pooling", rows.size());
  const std::vector<std::int64_t> counts = read_sizes(entry, "table_count", rows.size());
  std::vector<workload::TableGroup> tables;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    tables.push_back({size_of(counts, i, 1), rows[i], size_of(dims, i, 1),
                      static_cast<double>(size_of(pooling, i, 1))});
  }
  return tables;
}

void check_vectors(EntryReader& entry, const workload::RecommendationModel& model) {
  const bool all_given = entry.has("table_dim") && entry.has("bottom_widths");
  for (const workload::TableGroup& group : model.tables) {
    if (all_given && group.dim != model.bottom_output()) {
      entry.table().error(
          "bottom_widths",
          fmt::format("the last of them is {} and rows of a table have {} elements; "
                      "they need one length",
                      model.bottom_output(), group.dim));
      return;
    }
  }
}

}  // namespace

std::vector<Key> recommender_rows() {
  return keys_of(recommender_fields());
}

RecommendationModel read_recommender(EntryReader& entry, const std::string& name) {
  RecommendationModel model;
  model.name = name;
  model.tables = read_tables(entry);
  read_fields(entry, recommender_fields(), model);
  if (model.interaction != Interaction::cross) {
    check_vectors(entry, model);
  }
  return model;
}

}  // namespace scalesweep::catalog
