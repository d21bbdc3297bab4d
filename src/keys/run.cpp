// The rows of [run].
#include <array>

#include "estimator/run/run_plan.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using estimator::checkpoint_kind_names;
using estimator::recovery_names;
using estimator::RunPlan;

constexpr NumberRange spare_range = {0.0, true, 1.0, true};

// clang-format off
constexpr auto run_table = std::to_array<Row>({
    {{.path = "run.reliability", .kind = KeyKind::name,
        .fallback = "\"default\"", .example = "[\"none\", \"default\"]",
        .description = "how often parts fail, an entry of `nodes/reliability.toml`; `none`: never",
        .list = true, .axis = "reliability", .asked = true, .names = reliabilities,
        .variants = training}},
    {{.path = "run.failure_factor", .kind = KeyKind::number, .fallback = "1",
        .example = "[0.5, 1, 2]",
        .description = "on all rates of failures: a new generation fails more often at first",
        .range = config::from_zero, .list = true, .uncertain = true, .axis = "failure_factor",
        .asked = true, .variants = training}, sets<&RunPlan::failure_factor>},
    {{.path = "run.storage", .kind = KeyKind::name,
        .fallback = "\"default\"", .example = "\"shared\"",
        .description = "where checkpoints and input lie, an entry of `nodes/reliability.toml`",
        .list = true, .axis = "storage", .names = storages, .variants = training}},
    {{.path = "run.checkpoint", .kind = KeyKind::name, .fallback = "\"asynchronous\"",
        .example = "[\"synchronous\", \"peer\"]",
        .description = "`synchronous`: the job stops until storage has it; `asynchronous`: until "
                       "host memory has it, and storage follows beside the steps; `peer`: host "
                       "memory of another node has it, too, and gives it back",
        .words = words_of(checkpoint_kind_names),
        .list = true, .axis = "checkpoint", .variants = training},
     sets<word<checkpoint_kind_names, &RunPlan::checkpoint>>},
    {{.path = "run.checkpoint_interval", .kind = KeyKind::quantity, .fallback = "the best",
        .example = "\"30 min\"",
        .description = "work between two checkpoints. Where one is not written before the next is "
                       "due, points have the status `checkpoint_too_slow`",
        .dimension = Dimension::seconds, .list = true, .axis = "checkpoint_interval",
        .variants = training}, sets<&RunPlan::interval_s>},
    {{.path = "run.recovery", .kind = KeyKind::name, .fallback = "\"replace\"",
        .example = "[\"replace\", \"shrink\"]",
        .description = "while a node is repaired: `replace`: a spare one takes its place, or the "
                       "job waits; `shrink`: the other replicas go on without it",
        .words = words_of(recovery_names), .list = true, .axis = "recovery", .variants = training},
     sets<word<recovery_names, &RunPlan::recovery>>},
    {{.path = "run.spares", .kind = KeyKind::number, .fallback = "enough",
        .example = "[0, 0.01, 0.02]",
        .description = "devices that stand by, of those of the job and beside them, to the nearest "
                       "whole node; they are paid for. Enough: the job waits for no more than "
                       "0.5 % of the time; none with `shrink`",
        .range = spare_range, .list = true, .axis = "spares", .variants = training},
     sets<&RunPlan::spare_share>},
    {{.path = "run.token_size", .kind = KeyKind::quantity, .fallback = "\"4 B\"",
        .example = "\"2 B\"", .description = "of a token of input, as read from storage",
        .dimension = Dimension::bytes, .list = true, .axis = "token_size", .variants = training},
     sets<&RunPlan::token_bytes>},
    {{.path = "run.pixel_size", .kind = KeyKind::quantity, .fallback = "\"0.6 B\"",
        .example = "\"3 B\"",
        .description = "of a pixel of `images`, as read from storage; 0.6 B is the mean JPEG of "
                       "ImageNet (138 GB, 1.28 M images of 469 x 387). A second of `recordings` is "
                       "32 kB",
        .dimension = Dimension::bytes, .list = true, .axis = "pixel_size", .variants = training},
     sets<&RunPlan::pixel_bytes>},
});
// clang-format on

}  // namespace

std::span<const Row> run_rows() {
  return run_table;
}

}  // namespace scalesweep::keys
