// A file of measured cases with what the model says of each of its rows.
#pragma once

#include <cstddef>
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
#include "validation/cases/case_figures.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/kinds/case_row.hpp"

namespace scalesweep::validation {

struct CaseFile {
  const CaseKind* kind = nullptr;
  CsvTable table;
  std::vector<CaseRow> rows;  // one for each row of the table, in its order
};

// The figures of energy that the file has columns of; none of kernels.
std::vector<CaseFigure> case_figures_of(const CaseFile& cases);

// The counts of requests that are reported of cases of this kind; none but of inference.
std::span<const estimator::RequestCount> request_counts_of(const CaseKind& kind);

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
