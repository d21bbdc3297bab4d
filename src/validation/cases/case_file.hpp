// A file of measured cases with what the model says of each of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "core/documents/csv_table.hpp"
#include "estimator/inference/load/request_counts.hpp"
#include "technology/uncertainty.hpp"
#include "validation/cases/case_figures.hpp"

namespace scalesweep::validation {

enum class CaseKind : std::uint8_t {
  training,
  inference,
  kernel,
  recommendation,
  diffusion,
  reinforcement_learning
};
std::string_view name_of(CaseKind kind);
// The column of what is measured: a step time, an inference metric, a kernel time.
std::string_view value_column(CaseKind kind);

// Bytes of one device, each measured in its own way or not at all.
struct MemoryFigures {
  std::optional<double> states_bytes;     // weights, gradients, optimizer states
  std::optional<double> allocated_bytes;  // peak of tensors, worst device
  std::optional<double> reserved_bytes;   // what the allocator holds, worst device
};

// Of one row; what does not apply, or failed, is empty and `note` says why.
struct Prediction {
  std::optional<double> value;  // seconds, or what the metric of an inference case is in
  // The error bar of the time, or of the time that a rate is one over; empty where none is known.
  std::optional<double> relative_uncertainty;
  technology::Traits traits;  // that the error bar heeds
  CaseFigures figures;
  MemoryFigures memory;
  std::optional<estimator::RequestCounts> requests;  // of inference
  std::optional<bool> fits;                          // reserved against usable memory
  std::string bottleneck;                            // resource whose improvement helps most
  std::optional<double> device_power_w;
  bool clock_lowered = false;
  std::string note;
};

struct CaseRow {
  std::string name;
  // What groups are made of.
  std::string source;
  std::string device;
  std::string framework;  // of kernels: the library
  std::string op;         // of kernels; the metric of inference; "" for a training step
  bool is_rate = false;   // what is measured is one over a time
  std::string precision;
  std::string shape;      // of the model, not of kernels
  std::string lengths;    // tokens of a sequence, "4096", or of prompt and output, "2048+128"
  std::string group;      // of inference: what agreement is asked for by name; "" for none
  std::int64_t gpus = 0;  // 0 where it does not matter
  double tokens = 0.0;    // that all devices process in the time which is measured

  std::optional<double> measured;
  CaseFigures measured_figures;
  MemoryFigures measured_memory;
  std::optional<bool> measured_fits;
  double measured_utilization = 0.0;  // model FLOP per second over peak; 0 if not known
  double design_power_w = 0.0;        // of the device, or its limit in this case; 0 if not known

  Prediction predicted;

  // predicted / measured - 1; nothing unless both are there.
  std::optional<double> error() const;
  // The same of times: what error bars are about. Half the rate is twice the time, off by 1.
  std::optional<double> time_error() const;
};

struct CaseFile {
  CaseKind kind = CaseKind::training;
  CsvTable table;
  std::vector<CaseRow> rows;  // one for each row of the table, in its order
};

// The figures of energy that the file has columns of; none of kernels.
std::vector<CaseFigure> case_figures_of(const CaseFile& cases);

// The counts of requests that are reported of cases of this kind; none but of inference.
std::span<const estimator::RequestCount> request_counts_of(CaseKind kind);

// Reads and predicts. Mistakes go to `diagnostics`; a row with one is there without a prediction.
// Nothing if the text is no CSV or lacks a required column. `framework` is what rows run on that
// name none, "" for the usual one of the file's source (case_sources.hpp).
std::optional<CaseFile> evaluate_file(const std::string& file, const std::string& text,
                                      const catalog::Catalog& catalog, const std::string& framework,
                                      Diagnostics& diagnostics);

// The same of a file that need not fit into memory: `use` is given a part of its rows after the
// other, in their order; at least one part, which has none where there are none. `threads` predict
// them. False where the text is no CSV, be it behind some parts, or lacks a required column.
struct PartsRead {
  std::string file;
  const catalog::Catalog& catalog;
  std::string framework;
  std::size_t threads = 1;
};
bool evaluate_parts(const PartsRead& read, std::istream& text, Diagnostics& diagnostics,
                    const std::function<void(const CaseFile& part)>& use);

// The table with the columns of the prediction behind those of the input, as CSV: the line of
// names, and those of the rows.
std::string predictions_header(const CaseFile& cases);
std::string predictions_lines(const CaseFile& cases);
std::string predictions_csv(const CaseFile& cases);

}  // namespace scalesweep::validation
