// Rows of [workload] that models with embedding tables alone have.
#include <array>

#include "space/keys/rows.hpp"

namespace scalesweep::space {
namespace {

constexpr std::array<std::string_view, 2> works = {"training", "inference"};
constexpr std::array<std::string_view, 5> stored = {"fp32", "bf16", "fp16", "fp8", "int8"};
constexpr std::array<std::string_view, 4> table_optimizers = {"sgd", "rowwise_adagrad", "adagrad",
                                                              "adam"};
constexpr std::array<std::string_view, 3> dense_optimizers = {"sgd", "adagrad", "adam"};
constexpr config::NumberRange growth = {0.0, false, 1e6, true};

// clang-format off
constexpr std::array table_keys = {
    Key{.path = "workload.work", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"training\"", .example = "\"inference\"",
        .description = "the batch is trained on, or scored",
        .words = works, .list = true, .axis = "work", .asked = true, .variants = recommendation},
    Key{.path = "workload.table_growth", .kind = KeyKind::number, .fallback = "1",
        .example = "[1, 4, 16]",
        .description = "rows of every table over those of the model",
        .range = growth, .list = true, .axis = "table_growth", .asked = true,
        .variants = recommendation},
    Key{.path = "workload.access_skew", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[0, 1.05]",
        .description = "how popular rows of a table are: exponent of a Zipf law, 0 where all are "
                       "alike. The hottest are found in L2, and those of a batch that are the same "
                       "are updated once",
        .range = config::from_zero, .list = true, .axis = "access_skew", .asked = true,
        .variants = recommendation},
    Key{.path = "workload.resident_rows", .kind = KeyKind::number, .fallback = "1",
        .example = "[0.1, 1]",
        .description = "of the rows of each table, the share that device memory holds, the most "
                       "popular ones; the others are read from host memory over the "
                       "`host_bandwidth` of the device, and written there",
        .range = config::share_or_all, .list = true, .axis = "resident_rows",
        .variants = recommendation},
    Key{.path = "workload.precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"fp16\", \"int8\"]",
        .description = "operands of MLPs and interaction, and where they have 16 bits or more, or "
                       "a batch is scored, activations and what is sent of rows; else these are "
                       "bf16",
        .list = true, .axis = "precision", .variants = recommendation},
    Key{.path = "workload.table_precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"fp32\"", .example = "[\"fp32\", \"fp16\"]",
        .description = "rows of tables, as they are stored", .words = stored,
        .list = true, .axis = "table_precision", .variants = recommendation},
    Key{.path = "workload.table_optimizer", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"rowwise_adagrad\"", .example = "\"sgd\"",
        .description = "of the rows that a batch looked up. State beside them: none, a number for "
                       "each row, one for each element, two",
        .words = table_optimizers, .list = true, .axis = "table_optimizer",
        .variants = recommendation},
    Key{.path = "workload.dense_optimizer", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"adagrad\"", .example = "\"adam\"",
        .description = "of MLPs and cross layers", .words = dense_optimizers,
        .list = true, .axis = "dense_optimizer", .variants = recommendation},
    Key{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"hugectr\"", .example = "\"torchrec\"",
        .description = "the software, an entry of `nodes/frameworks-recommendation.toml`",
        .list = true, .axis = "framework", .names = frameworks, .variants = recommendation},
};
// clang-format on

}  // namespace

std::span<const Key> recommendation_keys() {
  return table_keys;
}

}  // namespace scalesweep::space
