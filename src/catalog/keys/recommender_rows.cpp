// Rows of models with embedding tables, and of how frameworks run them.
#include "catalog/keys/rows.hpp"
#include "workload/recommendation/recommendation.hpp"

namespace scalesweep::catalog {
namespace {

Key sizes(std::string_view path, std::string_view text, std::string_view example,
          std::string_view fallback = required) {
  Key key = integer(path, text, example, fallback);
  key.list = true;
  return key;
}

Key no_time(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\""));
}

}  // namespace

std::vector<Key> recommender_rows() {
  Key interaction =
      name("interaction",
           "what brings rows and dense features together. `dot`: products of all "
           "pairs of vectors; `cross`: layers of DCN-v2 over all of them joined; `sequence`: "
           "rows are tokens of a history, which layers of HSTU go over",
           "\"cross\"", "\"dot\"");
  interaction.words = workload::interaction_names;
  return {
      sizes("table_rows", "rows of each table", "[40000000, 39060]"),
      sizes("table_dim", "elements of a row: of all tables, or of each", "128"),
      sizes("table_pooling", "rows of a table that a sample reads and adds up: the same way",
            "[3, 2]", "1"),
      sizes("table_count", "tables that are alike: the same way", "8", "1"),
      number("access_skew", from_zero,
             "exponent of the Zipf law by which rows of a table are popular; 0: all alike", "1.05",
             "0"),
      integer("dense_features", "numbers of a sample, inputs of the bottom MLP", "13"),
      sizes("bottom_widths", "of the layers of the bottom MLP; with `dot` the last is `table_dim`",
            "[512, 256, 128]"),
      sizes("top_widths", "of the layers of the top MLP", "[1024, 512, 1]"),
      interaction,
      integer("cross_layers", "with `cross`: layers", "3", "required with `cross`"),
      integer("sequence_layers", "with `sequence`: layers", "8", "required with `sequence`"),
      integer("sequence_heads", "with `sequence`: heads of a layer", "8",
              "required with `sequence`"),
      integer("sequence_head_dim", "with `sequence`: width of a head", "64",
              "required with `sequence`"),
      integer("cross_rank", "with `cross`: inner size of the two matrices of a layer", "512",
              "required with `cross`"),
  };
}

std::vector<Key> recommendation_rows() {
  return {
      table("recommendation", "how it trains and scores models with embedding tables",
            "it does neither"),
      no_time(
          "recommendation.issue_interval",
          "host time to issue one kernel or collective; 0 where launches are captured in graphs",
          "\"5 us\""),
      no_time("recommendation.batch_overhead", "fixed time of a batch", "\"50 us\""),
      truth("recommendation.hides_exchange",
            "pooled rows and their gradients travel beside the bottom MLP, gradients of the dense "
            "part beside the update of the tables",
            "false"),
      truth("recommendation.exchanges_indices",
            "a device gets the indices of its own samples and sends them on to the tables; else "
            "those of its tables come from its host",
            "false"),
      truth("recommendation.fused_pointwise",
            "biases, activations and what stands beside the products of an interaction are part of "
            "GEMMs",
            "false"),
      truth("recommendation.fused_lookup",
            "where a device has all tables, products of pairs are taken of rows as they are looked "
            "up: neither rows nor their sums are written",
            "false"),
      number("recommendation.kernel_share", fraction,
             "rates of GEMMs in a batch over those of the same GEMMs alone", "0.9", "1"),
  };
}

}  // namespace scalesweep::catalog
