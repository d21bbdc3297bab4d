// Diffusion: the time of a batch of images or videos, or of a step of training on one.
#include "estimator/diffusion/diffusion.hpp"

#include <fmt/core.h>

#include <numeric>

#include "core/text.hpp"
#include "space/model_shape.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/job_parts.hpp"
#include "study/kinds/precision.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using estimator::DiffusionJob;

// Whatever its layers are, all have the same heads and widths.
space::ModelShape shape(const catalog::Catalog& catalog, const std::string& name) {
  const workload::DiffusionModel model = catalog.diffusion_model(name);
  workload::TransformerModel layers;
  layers.name = model.name;
  layers.layers = std::accumulate(model.layers.begin(), model.layers.end(), std::int64_t{0});
  layers.hidden = model.hidden;
  layers.heads = layers.kv_heads = model.heads;
  layers.head_dim = model.head_dim;
  layers.ffn = model.ffn;
  layers.causal = false;
  space::ModelShape shape = layers;
  shape.passes = model.passes;
  return shape;
}

JobResolver jobs(const space::Spec& /*spec*/, const StudyAxes& axes) {
  return [rules = AxisRules<DiffusionJob>(axes),
          optimizers = Optimizers(axes)](const PointAxes& point) {
    DiffusionJob job;
    rules.apply(point, job);
    if (job.trains()) {
      job.training.optimizer = optimizers.at(point);
    }
    const auto images = static_cast<double>(job.batch);
    const Multiplied multiplied = multiplied_of(job.operands, job.activations());
    return Job{std::move(job), images, multiplied};
  };
}

std::string lack_text(const estimator::DiffusionEstimate& estimate, const DiffusionJob& job) {
  const estimator::DiffusionMemory& memory = estimate.memory;
  return fmt::format(
      "a device lacks {} of {}; weights{} take {}, activations {}",
      with_si_prefix(memory.short_bytes(), "B"), with_si_prefix(memory.total_bytes(), "B"),
      job.trains() ? " and their states" : "", with_si_prefix(memory.states_bytes(), "B"),
      with_si_prefix(memory.activations_bytes, "B"));
}

void check_frames(const space::Spec& spec, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics) {
  for_each_pair(
      spec, "diffusion_model", "frames", [&](const ValueAt& model, const ValueAt& frames) {
        if (frames.number > 1.0 && catalog.has(catalog::Section::diffusion_models, model.label) &&
            !catalog.diffusion_model(model.label).makes_video()) {
          diagnostics.error(
              frames.position,
              fmt::format("'{}' makes images; leave frames out or write 1", model.label));
        }
      });
}

// Nobody says how operands of fewer bits are scaled in both passes over these layers.
void check_trained_precisions(const space::Spec& spec, Diagnostics& diagnostics) {
  for_each_pair(spec, "work", "precision", [&](const ValueAt& work, const ValueAt& precision) {
    const auto format = technology::precision_from(precision.label);
    if (work.label == "training" && format && technology::element_bytes(*format) < 2.0) {
      diagnostics.error(precision.position,
                        fmt::format("in {} diffusion models are run and not trained; with work = "
                                    "\"training\" write for example \"bf16\"",
                                    precision.label));
    }
  });
}

// Products of matrices of an optimizer are known of language models.
void check_optimizers(const space::Spec& spec, const catalog::Catalog& catalog,
                      Diagnostics& diagnostics) {
  for_each_label(spec, "optimizer", [&](const std::string& name, const SourcePosition& position) {
    if (catalog.has(catalog::Section::optimizers, name) && catalog.optimizer(name).multiplies()) {
      diagnostics.error(position,
                        fmt::format("'{}' multiplies matrices, which kind = \"diffusion\" does not "
                                    "know of; write for example \"adam\"",
                                    name));
    }
  });
}

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::diffuses, "runs diffusion models",
                   diagnostics);
  check_frames(spec, catalog, diagnostics);
  check_trained_precisions(spec, diagnostics);
  check_optimizers(spec, catalog, diagnostics);
}

}  // namespace

const WorkloadKind& diffusion_kind() {
  static const WorkloadKind kind = {
      .form = space::diffusion_form(),
      .unit = image_unit,
      .columns = diffusion_columns,
      .check = check,
      .shape = shape,
      .jobs = jobs,
      .estimator = make_estimator<PlainWork<estimator::DiffusionEstimator, lack_text>>};
  return kind;
}

}  // namespace scalesweep::study
