#include "validation/cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "core/documents/csv.hpp"
#include "core/enum_names.hpp"
#include "core/host/parallel.hpp"
#include "estimator/diffusion/diffusion.hpp"
#include "estimator/run/whole_run.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/inference_cases.hpp"
#include "validation/kinds/diffusion_cases.hpp"
#include "validation/kinds/kernel_cases.hpp"
#include "validation/kinds/recommendation_cases.hpp"
#include "validation/kinds/reinforcement_cases.hpp"
#include "validation/systems.hpp"
#include "validation/training_cases.hpp"

namespace scalesweep::validation {
namespace {

constexpr auto kind_names = enum_names<CaseKind>(
    "training", "inference", "kernel", "recommendation", "diffusion", "reinforcement_learning");
constexpr auto value_columns = enum_names<CaseKind>("step_time_s", "value", "time_s",
                                                    "samples_per_s", "time_s", "iteration_s");
constexpr double bytes_per_gb = 1e9;

// Kernels are told by the column `op`, inference by `metric`, batches of models with embedding
// tables by `recommender`, those of diffusion models by `diffusion_model`, iterations of
// reinforcement learning by `prompts`; all else is training.
CaseKind kind_of(const CsvTable& table) {
  return table.has("op")                ? CaseKind::kernel
         : table.has("metric")          ? CaseKind::inference
         : table.has("recommender")     ? CaseKind::recommendation
         : table.has("diffusion_model") ? CaseKind::diffusion
         : table.has("prompts")         ? CaseKind::reinforcement_learning
                                        : CaseKind::training;
}

std::span<const std::string_view> required_columns(CaseKind kind) {
  switch (kind) {
    case CaseKind::kernel:
      return kernel_columns;
    case CaseKind::inference:
      return inference_columns;
    case CaseKind::recommendation:
      return recommendation_columns;
    case CaseKind::diffusion:
      return diffusion_columns;
    case CaseKind::reinforcement_learning:
      return reinforcement_columns;
    case CaseKind::training:
      break;
  }
  return training_columns;
}

bool has_required_columns(const CsvTable& table, CaseKind kind, Diagnostics& diagnostics) {
  return has_columns(table, required_columns(kind), diagnostics);
}

CaseRow labelled(const RowReader& row, CaseKind kind) {
  CaseRow r;
  r.name = row.text("case");
  r.source = row.text("source");
  r.device = row.text("device");
  r.framework = row.text(kind == CaseKind::kernel ? "library" : "framework");
  r.op = kind == CaseKind::kernel      ? row.text("op")
         : kind == CaseKind::inference ? row.text("metric")
                                       : "";
  r.precision = row.text("precision");
  if (const std::string& cache = row.text("kv_precision"); !cache.empty()) {
    r.precision += fmt::format(", {} cache", cache);
  }
  return r;
}

// Estimates say 0 where nothing is known.
std::optional<double> known(double relative_uncertainty) {
  return relative_uncertainty > 0.0 ? std::optional(relative_uncertainty) : std::nullopt;
}

void predict_kernel(RowReader& row, KernelPredictor& predictor, CaseRow& r) {
  const std::optional<KernelCase> kernel = read_kernel_case(row);
  if (!kernel) {
    return;
  }
  r.measured = kernel->measured_s;
  const KernelPrediction prediction = predictor.predict(*kernel);
  r.predicted.note = prediction.note;
  if (prediction.note.empty()) {
    r.predicted.value = prediction.time_s;
    r.predicted.bottleneck = name_of(estimator::dominant(prediction.charges));
  }
}

// A catalogued model by its name, any other by its size.
std::string shape_name(const workload::TransformerModel& model) {
  return model.name.empty()
             ? fmt::format("{} wide, {} layers, {} heads", model.hidden, model.layers, model.heads)
             : fmt::format("{}, {} layers", model.name, model.layers);
}

void predict_inference(const InferenceCase& c, CaseRow& r) {
  r.device = c.system.device.name;
  r.framework = c.framework;
  r.gpus = c.gpus;
  r.group = c.group;
  r.shape = shape_name(c.job.model);
  r.lengths = fmt::format("{}+{}", c.job.prompt, c.job.output);
  r.tokens = tokens_of(c);
  r.is_rate = c.metric == InferenceMetric::tokens_per_second;
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured = c.measured;
  r.measured_figures = c.measured_figures;
  if (!c.not_modelled.empty()) {
    r.predicted.note = c.not_modelled;
    return;
  }
  const InferencePrediction prediction = predict(c);
  Prediction& p = r.predicted;
  p.value = prediction.value;
  p.relative_uncertainty = p.value ? known(prediction.relative_uncertainty) : std::nullopt;
  p.traits = prediction.traits;
  p.figures = prediction.figures;
  p.memory.states_bytes = prediction.memory.weights_bytes;
  p.memory.allocated_bytes = p.memory.reserved_bytes = prediction.memory.total_bytes();
  p.requests = prediction.requests;
  p.fits = prediction.fits;
  p.bottleneck = prediction.bottleneck;
  if (prediction.device_power_w > 0.0) {
    p.device_power_w = prediction.device_power_w;
  }
  if (!p.value) {
    p.note = "does not fit into memory";
  }
}

void predict_training(const TrainingCase& c, CaseRow& r) {
  r.device = c.system.device.name;
  r.framework = c.framework;
  r.gpus = c.gpus;
  r.shape = shape_name(c.job.model);
  r.lengths = fmt::format("{}", c.job.sequence);
  r.tokens = static_cast<double>(c.job.global_batch) * static_cast<double>(c.job.sequence);
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured_figures = c.measured_figures;
  if (c.measured_step_s > 0.0) {
    r.measured = c.measured_step_s;
  }
  if (!c.not_modelled.empty()) {
    r.predicted.note = c.not_modelled;
    return;
  }
  const estimator::TrainingEstimate estimate =
      estimator::estimate_training({c.job, c.system, c.strategy});
  Prediction& p = r.predicted;
  p.value = estimate.step_time_s();
  p.relative_uncertainty = known(estimate.relative_uncertainty);
  p.traits = estimate.traits;
  p.figures = energy_at(estimate.device_power_w, c.gpus, r.tokens / estimate.step_time_s());
  if (c.run) {
    const estimator::RunEstimate run =
        estimator::RunEstimator(*c.run, c.job, c.system)(estimate, c.strategy);
    p.figures.goodput = run.goodput();
    p.figures.time_to_train_days = run.time_s() / 86400.0;
  }
  p.memory.states_bytes = estimate.memory.states_bytes;
  p.memory.allocated_bytes = estimate.memory.total_bytes();
  p.memory.reserved_bytes = estimate.memory.reserved_bytes;
  p.fits = estimate.verdict == estimator::Verdict::fits;
  p.bottleneck = name_of(estimator::dominant(estimate.step));
  p.device_power_w = estimate.device_power_w;
  p.clock_lowered = estimate.clock_fraction < 1.0;
  if (r.measured) {
    r.measured_utilization = estimate.model_flop_utilization * *p.value / *r.measured;
  }
}

void predict_recommendation(const RecommendationCase& c, CaseRow& r) {
  r.device = c.system.device.name;
  r.framework = c.framework;
  r.gpus = c.gpus;
  r.op = workload::batch_work_names[c.job.work];
  r.shape = c.job.model.name;
  r.lengths = fmt::format("{}", c.job.batch);
  r.tokens = static_cast<double>(c.job.batch);
  r.is_rate = true;
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured = c.samples_per_s;
  const estimator::RecommendationEstimate estimate =
      estimator::estimate_recommendation(c.job, c.system, c.strategy);
  Prediction& p = r.predicted;
  p.value = r.tokens / estimate.batch_time_s();
  p.memory.states_bytes = estimate.memory.weights_bytes + estimate.memory.gradients_bytes +
                          estimate.memory.optimizer_bytes;
  p.memory.allocated_bytes = p.memory.reserved_bytes = estimate.memory.total_bytes();
  p.fits = estimate.verdict == estimator::Verdict::fits;
  p.bottleneck = name_of(estimator::dominant(estimate.batch));
  p.device_power_w = estimate.device_power_w;
  p.clock_lowered = estimate.clock_fraction < 1.0;
}

// "1024x1024", of videos with the frames behind.
std::string picture_name(const workload::Picture& picture) {
  const std::string sides = fmt::format("{}x{}", picture.width, picture.height);
  return picture.frames > 1 ? fmt::format("{}x{}", sides, picture.frames) : sides;
}

void predict_diffusion(const DiffusionCase& c, CaseRow& r) {
  r.device = c.system.device.name;
  r.framework = c.framework;
  r.gpus = c.gpus;
  r.op = c.job.trains() ? workload::batch_work_names[c.job.work] : "";
  r.shape = c.job.model.name;
  r.lengths = picture_name(c.job.picture);
  r.tokens = static_cast<double>(c.job.batch);
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured = c.batch_s;
  const estimator::DiffusionEstimate estimate =
      estimator::estimate_diffusion(c.job, c.system, c.strategy);
  Prediction& p = r.predicted;
  p.value = estimate.batch_time_s();
  p.memory.states_bytes = estimate.memory.states_bytes();
  p.memory.allocated_bytes = p.memory.reserved_bytes = estimate.memory.total_bytes();
  p.fits = estimate.verdict == estimator::Verdict::fits;
  p.bottleneck = name_of(estimator::dominant(estimate.batch));
  p.device_power_w = estimate.device_power_w;
  p.clock_lowered = estimate.clock_fraction < 1.0;
}

void predict_reinforcement(const ReinforcementCase& c, CaseRow& r) {
  const estimator::ReinforcementJob& job = c.job;
  r.device = c.system.device.name;
  r.framework = fmt::format("{}, {}", c.framework, c.rollout_framework);
  r.gpus = job.devices;
  r.shape = job.training.model.name;
  r.lengths = fmt::format("{}+{}", job.prompt, job.output);
  r.tokens = job.generated_tokens();
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured = c.iteration_s;
  const estimator::ReinforcementEstimate estimate = best_of(c);
  Prediction& p = r.predicted;
  p.fits = estimate.verdict == estimator::Verdict::fits;
  if (!p.fits) {
    p.note = "does not fit into memory";
    return;
  }
  p.value = estimate.iteration_s();
  p.memory.states_bytes = estimate.memory.weights_bytes + estimate.memory.states_bytes;
  p.memory.allocated_bytes = p.memory.reserved_bytes = estimate.memory.total_bytes();
  p.bottleneck = name_of(estimator::dominant(estimate.iteration));
  p.device_power_w = estimate.device_power_w;
}

std::optional<double> gigabytes(RowReader& row, std::string_view column) {
  const std::optional<double> value = row.number(column);
  return value ? std::optional(*value * bytes_per_gb) : std::nullopt;
}

void read_measured_memory(RowReader& row, CaseRow& r) {
  r.measured_memory = {gigabytes(row, "memory_states_gb"), gigabytes(row, "memory_allocated_gb"),
                       gigabytes(row, "memory_reserved_gb")};
}

// What the rows of all parts of a file have in common; each thread has its own.
struct Known {
  Known(const catalog::Catalog& of, const std::string& framework)
      : catalog(of), systems(of), defaults{of, systems, framework}, kernels(systems) {}
  Known(const Known&) = delete;  // parts of it know each other
  Known& operator=(const Known&) = delete;

  const catalog::Catalog& catalog;
  Systems systems;
  CaseDefaults defaults;
  KernelPredictor kernels;
};

class FileEvaluator {
 public:
  FileEvaluator(const CsvTable& table, CaseKind kind, Known& known, Diagnostics& diagnostics)
      : table_(table), kind_(kind), known_(known), diagnostics_(diagnostics) {}

  CaseRow row(std::size_t index) {
    RowReader row(table_, index, known_.catalog, diagnostics_);
    CaseRow r = labelled(row, kind_);
    if (!table_.problem(index).empty()) {
      r.predicted.note = table_.problem(index);
      return r;
    }
    if (kind_ == CaseKind::kernel) {
      predict_kernel(row, known_.kernels, r);
    } else if (kind_ == CaseKind::inference) {
      inference(row, r);
    } else if (kind_ == CaseKind::recommendation) {
      recommendation(row, r);
    } else if (kind_ == CaseKind::diffusion) {
      diffusion(row, r);
    } else if (kind_ == CaseKind::reinforcement_learning) {
      reinforcement(row, r);
    } else {
      training(row, r);
    }
    if (!row.good()) {
      r.predicted = {};
      r.measured.reset();
      r.measured_figures = {};
      r.predicted.note = row.problem();
    }
    return r;
  }

 private:
  void training(RowReader& row, CaseRow& r) {
    read_measured_memory(row, r);
    if (const auto c = read_training_case(row, known_.defaults)) {
      if (row.has("outcome") || c->measured_step_s > 0.0) {
        r.measured_fits = row.text("outcome") != "oom";
      }
      predict_training(*c, r);
    }
  }

  void inference(RowReader& row, CaseRow& r) {
    if (const auto c = read_inference_case(row, known_.defaults)) {
      predict_inference(*c, r);
    }
  }

  void recommendation(RowReader& row, CaseRow& r) {
    if (const auto c = read_recommendation_case(row, known_.defaults)) {
      predict_recommendation(*c, r);
    }
  }

  void diffusion(RowReader& row, CaseRow& r) {
    read_measured_memory(row, r);
    if (const auto c = read_diffusion_case(row, known_.defaults)) {
      predict_diffusion(*c, r);
    }
  }

  void reinforcement(RowReader& row, CaseRow& r) {
    if (const auto c = read_reinforcement_case(row, known_.defaults)) {
      predict_reinforcement(*c, r);
    }
  }

  const CsvTable& table_;
  CaseKind kind_;
  Known& known_;
  Diagnostics& diagnostics_;
};

void predict_rows(CaseFile& cases, Known& known, Diagnostics& diagnostics) {
  FileEvaluator evaluator(cases.table, cases.kind, known, diagnostics);
  for (std::size_t row = 0; row < cases.table.rows(); ++row) {
    cases.rows.push_back(evaluator.row(row));
  }
}

std::string number_text(const std::optional<double>& value, double unit = 1.0) {
  return value ? fmt::format("{:.9g}", *value / unit) : "";
}

// What stands behind the columns of the input: a name, and the text of a row.
struct PredictedColumn {
  std::string name;
  std::function<std::string(const CaseRow&)> text;
};

PredictedColumn gigabytes_column(std::string name, std::optional<double> MemoryFigures::*bytes) {
  return {std::move(name), [bytes](const CaseRow& row) {
            return number_text(row.predicted.memory.*bytes, bytes_per_gb);
          }};
}

std::vector<PredictedColumn> predicted_columns(const CaseFile& cases) {
  std::vector<PredictedColumn> columns = {
      {fmt::format("predicted_{}", value_column(cases.kind)),
       [](const CaseRow& row) { return number_text(row.predicted.value); }}};
  for (const CaseFigure& figure : case_figures_of(cases)) {
    columns.push_back({fmt::format("predicted_{}", figure.column), [figure](const CaseRow& row) {
                         return number_text(row.predicted.figures.*figure.value);
                       }});
  }
  columns.push_back(gigabytes_column("predicted_memory_states_gb", &MemoryFigures::states_bytes));
  columns.push_back(
      gigabytes_column("predicted_memory_allocated_gb", &MemoryFigures::allocated_bytes));
  columns.push_back(
      gigabytes_column("predicted_memory_reserved_gb", &MemoryFigures::reserved_bytes));
  columns.push_back({"predicted_fits", [](const CaseRow& row) -> std::string {
                       const std::optional<bool>& fits = row.predicted.fits;
                       return !fits ? "" : *fits ? "true" : "false";
                     }});
  for (const estimator::RequestCount& count : request_counts_of(cases.kind)) {
    columns.push_back({std::string(count.name), [count](const CaseRow& row) -> std::string {
                         const auto& requests = row.predicted.requests;
                         return requests ? number_text((*requests).*count.value) : "";
                       }});
  }
  if (cases.kind != CaseKind::kernel) {
    columns.push_back({"predicted_relative_uncertainty", [](const CaseRow& row) {
                         return number_text(row.predicted.relative_uncertainty);
                       }});
    columns.push_back({"estimated_traits", [](const CaseRow& row) {
                         return fmt::format(
                             "{}", fmt::join(technology::names_of(row.predicted.traits), "; "));
                       }});
    // A cell names a stack, and a source may run another version of it; empty cells name none.
    columns.push_back({"estimated_device", [](const CaseRow& row) { return row.device; }});
    columns.push_back({"estimated_framework", [](const CaseRow& row) { return row.framework; }});
  }
  columns.push_back({"bottleneck", [](const CaseRow& row) { return row.predicted.bottleneck; }});
  columns.push_back({"note", [](const CaseRow& row) { return row.predicted.note; }});
  return columns;
}

void append_line(std::string& text, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    text += (i == 0 ? "" : ",") + csv_field(fields[i]);
  }
  text += "\n";
}

}  // namespace

std::string_view name_of(CaseKind kind) {
  return kind_names[kind];
}

std::string_view value_column(CaseKind kind) {
  return value_columns[kind];
}

std::optional<double> CaseRow::error() const {
  if (!predicted.value || !measured) {
    return std::nullopt;
  }
  return *predicted.value / *measured - 1.0;
}

std::optional<double> CaseRow::time_error() const {
  if (!predicted.value || !measured) {
    return std::nullopt;
  }
  return (is_rate ? *measured / *predicted.value : *predicted.value / *measured) - 1.0;
}

std::vector<CaseFigure> case_figures_of(const CaseFile& cases) {
  std::vector<CaseFigure> figures;
  for (const CaseFigure& figure : case_figures) {
    if (cases.kind != CaseKind::kernel && cases.table.has(figure.column)) {
      figures.push_back(figure);
    }
  }
  return figures;
}

std::span<const estimator::RequestCount> request_counts_of(CaseKind kind) {
  return kind == CaseKind::inference ? std::span(estimator::request_counts)
                                     : std::span<const estimator::RequestCount>();
}

std::optional<CaseFile> evaluate_file(const std::string& file, const std::string& text,
                                      const catalog::Catalog& catalog, const std::string& framework,
                                      Diagnostics& diagnostics) {
  std::optional<CsvTable> table = CsvTable::parse(file, text, diagnostics);
  if (!table) {
    return std::nullopt;
  }
  const CaseKind kind = kind_of(*table);
  if (!has_required_columns(*table, kind, diagnostics)) {
    return std::nullopt;
  }
  CaseFile cases{kind, std::move(*table), {}};
  Known known(catalog, framework);
  predict_rows(cases, known, diagnostics);
  return cases;
}

namespace {

constexpr std::size_t rows_of_part = 512;
constexpr std::size_t parts_of_thread = 4;  // at a time: the slowest one ends it

void add_all(const Diagnostics& problems, Diagnostics& to) {
  for (const Diagnostic& one : problems.all()) {
    one.severity == Severity::error ? to.error(one.position, one.message)
                                    : to.warning(one.position, one.message);
  }
}

// Some parts of a file, and what is wrong in each.
struct Parts {
  std::vector<CaseFile> cases;
  std::vector<Diagnostics> problems;
};

// The next parts, at most so many and none at the end; nothing where the text is no CSV or, in the
// first one, lacks a column.
std::optional<Parts> next_parts(CsvReader& reader, std::optional<CaseKind>& kind, std::size_t most,
                                Diagnostics& diagnostics) {
  Parts parts;
  while (parts.cases.size() < most) {
    Diagnostics problems;
    std::optional<CsvTable> table = reader.next(rows_of_part, problems);
    const bool is_first = !kind;
    if (table && is_first) {
      kind = kind_of(*table);
    }
    if (!table || (is_first && !has_required_columns(*table, *kind, problems))) {
      add_all(problems, diagnostics);
      return std::nullopt;
    }
    if (table->rows() == 0 && !is_first) {
      break;
    }
    parts.cases.push_back({*kind, std::move(*table), {}});
    parts.problems.push_back(std::move(problems));
  }
  return parts;
}

}  // namespace

bool evaluate_parts(const PartsRead& read, std::istream& text, Diagnostics& diagnostics,
                    const std::function<void(const CaseFile& part)>& use) {
  CsvReader reader(read.file, text);
  std::vector<std::unique_ptr<Known>> known;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, read.threads); ++i) {
    known.push_back(std::make_unique<Known>(read.catalog, read.framework));
  }
  std::optional<CaseKind> kind;
  const Diagnostics::Mark before = diagnostics.mark();
  while (true) {
    Diagnostics of_text;
    auto parts = next_parts(reader, kind, parts_of_thread * known.size(), of_text);
    if (!parts) {
      diagnostics.take_back(before);
      add_all(of_text, diagnostics);
      return false;
    }
    if (parts->cases.empty()) {
      return true;
    }
    for_each_parallel(known, parts->cases.size(), [&](std::unique_ptr<Known>& mine, std::size_t i) {
      predict_rows(parts->cases[i], *mine, parts->problems[i]);
    });
    for (std::size_t i = 0; i < parts->cases.size(); ++i) {
      add_all(parts->problems[i], diagnostics);
      use(parts->cases[i]);
    }
  }
}

std::string predictions_header(const CaseFile& cases) {
  std::vector<std::string> header = cases.table.columns();
  for (const PredictedColumn& column : predicted_columns(cases)) {
    header.push_back(column.name);
  }
  std::string text;
  append_line(text, header);
  return text;
}

std::string predictions_lines(const CaseFile& cases) {
  const std::vector<PredictedColumn> predicted = predicted_columns(cases);
  std::string text;
  for (std::size_t i = 0; i < cases.rows.size(); ++i) {
    std::vector<std::string> fields = cases.table.fields(i);
    for (const PredictedColumn& column : predicted) {
      fields.push_back(column.text(cases.rows[i]));
    }
    append_line(text, fields);
  }
  return text;
}

std::string predictions_csv(const CaseFile& cases) {
  return predictions_header(cases) + predictions_lines(cases);
}

}  // namespace scalesweep::validation
