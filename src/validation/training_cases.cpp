#include "validation/training_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/text.hpp"
#include "validation/csv_table.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

// Reads the cells of one row; the first mistake of a row makes it unusable, all are reported.
class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, const catalog::Catalog& catalog,
            const workload::Framework& framework, Diagnostics& diagnostics)
      : table_(table),
        row_(row),
        catalog_(catalog),
        framework_(framework),
        diagnostics_(diagnostics) {}

  std::optional<TrainingCase> read() {
    TrainingCase c;
    c.name = text("case");
    c.source = text("source");
    if (text("outcome") != "oom") {
      c.measured_step_s = number("step_time_s").value_or(0.0);
    }
    read_system(c);
    read_model(c);
    read_job(c);
    read_strategy(c);
    return good_ ? std::optional(c) : std::nullopt;
  }

 private:
  const std::string& text(std::string_view column) const { return table_.cell(row_, column); }

  void error(std::string_view column, const std::string& message) {
    good_ = false;
    diagnostics_.error(table_.position(row_, column), fmt::format("{}: {}", column, message));
  }

  std::optional<double> number(std::string_view column) {
    const std::string& cell = text(column);
    if (cell.empty()) {
      return std::nullopt;
    }
    double value = 0.0;
    const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (code != std::errc() || end != cell.data() + cell.size() || !(value > 0.0) ||
        value > 1e300) {
      error(column, fmt::format("'{}' is not a positive number", cell));
      return std::nullopt;
    }
    return value;
  }

  std::int64_t integer(std::string_view column, std::optional<std::int64_t> otherwise,
                       std::int64_t at_least = 1) {
    const std::string& cell = text(column);
    if (cell.empty()) {
      if (!otherwise) {
        error(column, "is required");
      }
      return otherwise.value_or(at_least);
    }
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (code != std::errc() || end != cell.data() + cell.size() || value < at_least ||
        value > std::numeric_limits<std::int32_t>::max()) {
      error(column, fmt::format("'{}' is not a whole number of at least {}", cell, at_least));
      return at_least;
    }
    return value;
  }

  bool boolean(std::string_view column, bool otherwise) {
    const std::string& cell = text(column);
    if (!cell.empty() && cell != "true" && cell != "false") {
      error(column, fmt::format("'{}' is neither true nor false", cell));
    }
    return cell.empty() ? otherwise : cell == "true";
  }

  Precision precision(std::string_view column, Precision otherwise) {
    const std::string& cell = text(column);
    const auto found = technology::precision_from(cell);
    if (!cell.empty() && !found) {
      const std::vector<std::string> known(technology::precision_names.begin(),
                                           technology::precision_names.end());
      error(column,
            fmt::format("no number format is called '{}'{}", cell, suggestion(cell, known)));
    }
    return found.value_or(otherwise);
  }

  // A name of the catalog; "" and an error if it is unknown or missing.
  std::string entry(std::string_view column, catalog::Section section) {
    const std::string& name = text(column);
    if (!catalog_.has(section, name)) {
      error(column, fmt::format("the catalog has no {} '{}'{}", column, name,
                                catalog_.suggestion(section, name)));
      return "";
    }
    return *catalog_.canonical(section, name);
  }

  void read_system(TrainingCase& c) {
    const std::string device = entry("device", catalog::Section::devices);
    if (device.empty()) {
      return;
    }
    c.system = catalog_.catalogued_system(catalog_.usual_system(device));
    if (const auto gigabits = number("scale_out_gbps_per_node")) {
      constexpr double devices_per_node = 8.0;
      c.system.scale_out.bandwidth = BytesPerSecond::si(*gigabits * 1e9 / 8.0 / devices_per_node);
    }
  }

  void read_model(TrainingCase& c) {
    workload::TransformerModel& model = c.job.model;
    if (!text("model").empty()) {
      const std::string name = entry("model", catalog::Section::models);
      if (!name.empty()) {
        model = catalog_.model(name);
        model.layers = integer("layers", model.layers);
      }
      return;
    }
    model.hidden = integer("hidden", std::nullopt);
    model.layers = integer("layers", std::nullopt);
    model.heads = integer("heads", std::nullopt);
    model.kv_heads = integer("kv_heads", model.heads);
    model.head_dim = model.hidden / model.heads;
    model.ffn = integer("ffn", 4 * model.hidden);
    model.vocab = integer("vocab", std::nullopt);
    model.gated_ffn = boolean("gated_ffn", false);
    model.tied_embeddings = boolean("tied_embeddings", false);
    model.max_positions = integer("seq", std::nullopt);
    // What the GPT family and the gated models differ in besides the MLP.
    model.biases = model.dropout = model.learned_positions = !model.gated_ffn;
  }

  void read_job(TrainingCase& c) {
    estimator::TrainingJob& job = c.job;
    job.sequence = integer("seq", std::nullopt);
    job.global_batch = integer("global_batch", std::nullopt);
    job.precision = precision("precision", Precision::bf16);
    job.gradient_precision = precision(
        "grad_precision", job.precision == Precision::fp16 ? Precision::fp16 : Precision::fp32);
    job.flash_attention = boolean("flash_attention", job.precision != Precision::fp16);
    job.framework = framework_;
    if (!text("framework").empty()) {
      const std::string name = entry("framework", catalog::Section::frameworks);
      if (!name.empty()) {
        job.framework = catalog_.framework(name);
      }
    }
  }

  void read_strategy(TrainingCase& c) {
    parallel::Strategy& s = c.strategy;
    s.tensor_parallel = size("tp");
    s.pipeline_parallel = size("pp");
    s.chunks = size("virtual_pp");
    s.micro_batch = static_cast<std::int32_t>(integer("micro_batch", std::nullopt));
    const std::int64_t gpus = integer("gpus", std::nullopt);
    const std::int64_t others =
        std::int64_t{s.tensor_parallel} * s.pipeline_parallel * integer("cp", 1);
    s.data_parallel =
        static_cast<std::int32_t>(integer("dp", std::max<std::int64_t>(1, gpus / others)));
    s.zero = static_cast<std::uint8_t>(integer("zero", 0, 0));
    s.sequence_parallel = boolean("sequence_parallel", false);
    const std::string& recompute = text("recompute");
    const auto policy = parallel::recompute_from(recompute);
    if (!recompute.empty() && !policy) {
      error("recompute", fmt::format("'{}' is none of none, selective, full", recompute));
    }
    s.recompute = policy.value_or(parallel::Recompute::none);
    const std::int64_t per_step = std::int64_t{s.micro_batch} * s.data_parallel;
    if (c.job.global_batch % per_step != 0) {
      error("global_batch", fmt::format("{} is no multiple of micro_batch x dp = {}",
                                        c.job.global_batch, per_step));
      return;
    }
    s.micro_batches = static_cast<std::int32_t>(c.job.global_batch / per_step);
    check_modelled(c);
  }

  std::int32_t size(std::string_view column) {
    return static_cast<std::int32_t>(integer(column, 1));
  }

  void check_modelled(TrainingCase& c) {
    for (const char* dimension : {"cp", "ep"}) {
      if (integer(dimension, 1) > 1) {
        c.not_modelled = fmt::format("{} above 1 is not modelled", dimension);
      }
    }
    if (c.strategy.zero > 1) {
      c.not_modelled = "zero above 1 is not modelled";
    }
    if (c.system.device.tensor_peak[technology::index_of(c.job.precision)].si() <= 0.0 && good_) {
      c.not_modelled = fmt::format("the catalog has no {} rate for {}",
                                   technology::name_of(c.job.precision), c.system.device.name);
    }
  }

  const CsvTable& table_;
  std::size_t row_;
  const catalog::Catalog& catalog_;
  const workload::Framework& framework_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

bool has_required_columns(const CsvTable& table, Diagnostics& diagnostics) {
  bool good = true;
  for (const char* column : {"case", "device", "gpus", "seq", "global_batch", "micro_batch"}) {
    if (!table.has(column)) {
      diagnostics.error(table.header_position(), fmt::format("the column '{}' is missing{}", column,
                                                             suggestion(column, table.columns())));
      good = false;
    }
  }
  return good;
}

}  // namespace

std::vector<TrainingCase> read_training_cases(const std::string& file, const std::string& text,
                                              const catalog::Catalog& catalog,
                                              const workload::Framework& framework,
                                              Diagnostics& diagnostics) {
  std::vector<TrainingCase> cases;
  const auto table = CsvTable::parse(file, text, diagnostics);
  if (!table || !has_required_columns(*table, diagnostics)) {
    return cases;
  }
  for (std::size_t row = 0; row < table->rows(); ++row) {
    if (auto read = RowReader(*table, row, catalog, framework, diagnostics).read()) {
      cases.push_back(std::move(*read));
    }
  }
  return cases;
}

std::optional<double> CaseResult::error() const {
  if (!estimate || measured->measured_step_s <= 0.0) {
    return std::nullopt;
  }
  return estimate->step_time_s() / measured->measured_step_s - 1.0;
}

std::vector<CaseResult> evaluate(const std::vector<TrainingCase>& cases) {
  std::vector<CaseResult> results;
  for (const TrainingCase& c : cases) {
    CaseResult result{&c, std::nullopt};
    if (c.not_modelled.empty()) {
      result.estimate = estimator::estimate_training(c.job, c.system, c.strategy);
    }
    results.push_back(result);
  }
  return results;
}

ErrorStatistics step_time_statistics(const std::vector<CaseResult>& results) {
  std::vector<double> errors;
  for (const CaseResult& result : results) {
    if (const auto error = result.error()) {
      errors.push_back(*error);
    }
  }
  return error_statistics(errors);
}

}  // namespace scalesweep::validation
