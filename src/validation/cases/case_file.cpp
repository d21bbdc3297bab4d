#include "validation/cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "core/documents/csv.hpp"
#include "core/host/parallel.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/inference_cases.hpp"
#include "validation/kinds/diffusion_cases.hpp"
#include "validation/kinds/kernel_cases.hpp"
#include "validation/kinds/recommendation_cases.hpp"
#include "validation/kinds/reinforcement_cases.hpp"
#include "validation/training_cases.hpp"

namespace scalesweep::validation {
namespace {

// The first whose mark a file has is its kind; training has what is left.
std::vector<const CaseKind*> case_kinds() {
  return {&kernel_cases(),    &inference_cases(),     &recommendation_cases(),
          &diffusion_cases(), &reinforcement_cases(), &training_cases()};
}

const CaseKind& kind_of(const CsvTable& table) {
  const std::vector<const CaseKind*> kinds = case_kinds();
  return **std::find_if(kinds.begin(), kinds.end(), [&](const CaseKind* kind) {
    return kind->mark.empty() || table.has(kind->mark);
  });
}

CaseRow labelled(const RowReader& row, const CaseKind& kind) {
  const bool is_kernel = &kind == &kernel_cases();
  CaseRow r;
  r.name = row.text("case");
  r.source = row.text("source");
  r.device = row.text("device");
  r.framework = row.text(is_kernel ? "library" : "framework");
  r.op = is_kernel ? row.text("op") : &kind == &inference_cases() ? row.text("metric") : "";
  r.precision = row.text("precision");
  if (const std::string& cache = row.text("kv_precision"); !cache.empty()) {
    r.precision += fmt::format(", {} cache", cache);
  }
  return r;
}

CaseRow predicted_row(const CaseFile& cases, std::size_t index, CaseMemo& memo,
                      Diagnostics& diagnostics) {
  RowReader row(cases.table, index, memo.defaults.catalog, diagnostics);
  CaseRow r = labelled(row, *cases.kind);
  if (!cases.table.problem(index).empty()) {
    r.predicted.note = cases.table.problem(index);
    return r;
  }
  cases.kind->predict(row, memo, r);
  if (!row.good()) {
    r.predicted = {};
    r.measured.reset();
    r.measured_figures = {};
    r.predicted.note = row.problem();
  }
  return r;
}

void predict_rows(CaseFile& cases, CaseMemo& memo, Diagnostics& diagnostics) {
  for (std::size_t row = 0; row < cases.table.rows(); ++row) {
    cases.rows.push_back(predicted_row(cases, row, memo, diagnostics));
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
      {fmt::format("predicted_{}", cases.kind->value_column),
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
  for (const estimator::RequestCount& count : request_counts_of(*cases.kind)) {
    columns.push_back({std::string(count.name), [count](const CaseRow& row) -> std::string {
                         const auto& requests = row.predicted.requests;
                         return requests ? number_text((*requests).*count.value) : "";
                       }});
  }
  if (cases.kind != &kernel_cases()) {
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

std::vector<CaseFigure> case_figures_of(const CaseFile& cases) {
  std::vector<CaseFigure> figures;
  for (const CaseFigure& figure : case_figures) {
    if (cases.kind != &kernel_cases() && cases.table.has(figure.column)) {
      figures.push_back(figure);
    }
  }
  return figures;
}

std::span<const estimator::RequestCount> request_counts_of(const CaseKind& kind) {
  return &kind == &inference_cases() ? std::span(estimator::request_counts)
                                     : std::span<const estimator::RequestCount>();
}

std::optional<CaseFile> evaluate_file(const std::string& file, const std::string& text,
                                      const catalog::Catalog& catalog, const std::string& framework,
                                      Diagnostics& diagnostics) {
  std::optional<CsvTable> table = CsvTable::parse(file, text, diagnostics);
  if (!table) {
    return std::nullopt;
  }
  const CaseKind& kind = kind_of(*table);
  if (!has_columns(*table, kind.columns, diagnostics)) {
    return std::nullopt;
  }
  CaseFile cases{&kind, std::move(*table), {}};
  CaseMemo memo(catalog, framework);
  predict_rows(cases, memo, diagnostics);
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
std::optional<Parts> next_parts(CsvReader& reader, const CaseKind*& kind, std::size_t most,
                                Diagnostics& diagnostics) {
  Parts parts;
  while (parts.cases.size() < most) {
    Diagnostics problems;
    std::optional<CsvTable> table = reader.next(rows_of_part, problems);
    const bool is_first = kind == nullptr;
    if (table && is_first) {
      kind = &kind_of(*table);
    }
    if (!table || (is_first && !has_columns(*table, kind->columns, problems))) {
      add_all(problems, diagnostics);
      return std::nullopt;
    }
    if (table->rows() == 0 && !is_first) {
      break;
    }
    parts.cases.push_back({kind, std::move(*table), {}});
    parts.problems.push_back(std::move(problems));
  }
  return parts;
}

}  // namespace

bool evaluate_parts(const PartsRead& read, std::istream& text, Diagnostics& diagnostics,
                    const std::function<void(const CaseFile& part)>& use) {
  CsvReader reader(read.file, text);
  std::vector<std::unique_ptr<CaseMemo>> memos;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, read.threads); ++i) {
    memos.push_back(std::make_unique<CaseMemo>(read.catalog, read.framework));
  }
  const CaseKind* kind = nullptr;
  const Diagnostics::Mark before = diagnostics.mark();
  while (true) {
    Diagnostics of_text;
    auto parts = next_parts(reader, kind, parts_of_thread * memos.size(), of_text);
    if (!parts) {
      diagnostics.take_back(before);
      add_all(of_text, diagnostics);
      return false;
    }
    if (parts->cases.empty()) {
      return true;
    }
    for_each_parallel(memos, parts->cases.size(),
                      [&](std::unique_ptr<CaseMemo>& mine, std::size_t i) {
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
