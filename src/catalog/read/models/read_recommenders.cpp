// Models with embedding tables out of their entries.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data.hpp"

namespace scalesweep::catalog {
namespace {

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

// A size that goes with an interaction, which must say it.
std::int64_t read_with(EntryReader& entry, std::string_view key, bool goes) {
  const std::optional<std::int64_t> size = entry.given_integer(key);
  if (goes && !size) {
    entry.table().error("interaction", fmt::format("needs {}, for example {}", key,
                                                   key == "cross_rank" ? "512" : "8"));
  }
  return goes ? size.value_or(1) : 0;
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

workload::RecommendationModel read_recommender(EntryReader& entry, const std::string& name) {
  workload::RecommendationModel model;
  model.name = name;
  model.tables = read_tables(entry);
  model.access_skew = entry.value("access_skew");
  model.dense_features = entry.integer("dense_features");
  model.bottom_widths = entry.integers("bottom_widths");
  model.top_widths = entry.integers("top_widths");
  model.interaction =
      read_choice(entry, "interaction", workload::interaction_names, model.interaction);
  const bool crosses = model.interaction == workload::Interaction::cross;
  const bool attends = model.interaction == workload::Interaction::sequence;
  model.cross_layers = read_with(entry, "cross_layers", crosses);
  model.cross_rank = read_with(entry, "cross_rank", crosses);
  model.sequence_layers = read_with(entry, "sequence_layers", attends);
  model.sequence_heads = read_with(entry, "sequence_heads", attends);
  model.sequence_head_dim = read_with(entry, "sequence_head_dim", attends);
  if (!crosses) {
    check_vectors(entry, model);
  }
  return model;
}

}  // namespace scalesweep::catalog
