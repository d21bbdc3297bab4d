// Rows of [workload] that models with embedding tables alone have.
#include <algorithm>
#include <array>
#include <cmath>

#include "estimator/recommendation/job.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using estimator::RecommendationJob;
using estimator::table_optimizer_names;

constexpr std::array<std::string_view, 5> stored = {"fp32", "bf16", "fp16", "fp8", "int8"};
constexpr std::array<std::string_view, 3> dense_optimizers = {"sgd", "adagrad", "adam"};
constexpr NumberRange growth = {0.0, false, 1e6, true};

void grow_tables(RecommendationJob& job, const AxisValue& value) {
  for (workload::TableGroup& group : job.model.tables) {
    constexpr double most = 9007199254740992.0;  // 2^53: all that a double counts
    const double rows = std::min(std::round(static_cast<double>(group.rows) * value.number), most);
    group.rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(rows));
  }
}

// clang-format off
constexpr auto recommendation_table = std::to_array<Row>({
    {{.path = "workload.work", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"training\"", .example = "\"inference\"",
        .description = "the batch is trained on, or scored",
        .words = words_of(workload::batch_work_names),
        .list = true, .axis = "work", .asked = true, .variants = recommendation},
     sets<word<workload::batch_work_names, &RecommendationJob::work>>},
    {{.path = "workload.table_growth", .kind = KeyKind::number, .fallback = "1",
        .example = "[1, 4, 16]",
        .description = "rows of every table over those of the model",
        .range = growth, .list = true, .axis = "table_growth", .asked = true,
        .variants = recommendation}, sets<grow_tables>},
    {{.path = "workload.access_skew", .kind = KeyKind::number, .fallback = "of the model",
        .example = "[0, 1.05]",
        .description = "how popular rows of a table are: exponent of a Zipf law, 0 where all are "
                       "alike. The hottest are found in L2, and those of a batch that are the same "
                       "are updated once",
        .range = config::from_zero, .list = true, .axis = "access_skew", .asked = true,
        .variants = recommendation},
     sets<into<&RecommendationJob::model, &workload::RecommendationModel::access_skew>>},
    {{.path = "workload.resident_rows", .kind = KeyKind::number, .fallback = "1",
        .example = "[0.1, 1]",
        .description = "of the rows of each table, the share that device memory holds, the most "
                       "popular ones; the others are read from host memory over the "
                       "`host_bandwidth` of the device, and written there",
        .range = config::share_or_all, .list = true, .axis = "resident_rows",
        .variants = recommendation}, sets<&RecommendationJob::resident>},
    {{.path = "workload.precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"fp16\", \"int8\"]",
        .description = "operands of MLPs and interaction, and where they have 16 bits or more, or "
                       "a batch is scored, activations and what is sent of rows; else these are "
                       "bf16",
        .list = true, .axis = "precision", .variants = recommendation},
     sets<format<&RecommendationJob::operands>>},
    {{.path = "workload.table_precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"fp32\"", .example = "[\"fp32\", \"fp16\"]",
        .description = "rows of tables, as they are stored", .words = stored,
        .list = true, .axis = "table_precision", .variants = recommendation},
     sets<format<&RecommendationJob::tables>>},
    {{.path = "workload.table_optimizer", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"rowwise_adagrad\"", .example = "\"sgd\"",
        .description = "of the rows that a batch looked up. State beside them: none, a number for "
                       "each row, one for each element, two",
        .words = words_of(table_optimizer_names), .list = true, .axis = "table_optimizer",
        .variants = recommendation},
     sets<word<table_optimizer_names, &RecommendationJob::table_optimizer>>},
    {{.path = "workload.dense_optimizer", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"adagrad\"", .example = "\"adam\"",
        .description = "of MLPs and cross layers", .words = dense_optimizers,
        .list = true, .axis = "dense_optimizer", .variants = recommendation},
     sets<word<table_optimizer_names, &RecommendationJob::dense_optimizer>>},
    {{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"hugectr\"", .example = "\"torchrec\"",
        .description = "the software, an entry of `nodes/frameworks-recommendation.toml`",
        .list = true, .axis = "framework", .names = frameworks, .variants = recommendation},
     sets<set_recommendation_stack>},
});
// clang-format on

}  // namespace

std::span<const Row> recommendation_rows() {
  return recommendation_table;
}

}  // namespace scalesweep::keys
