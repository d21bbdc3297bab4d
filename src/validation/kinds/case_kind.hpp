// A kind of measured cases as one object: how its files are told from others, and their rows read
// and predicted. A further kind is another object, and its row in case_kinds (case_file.cpp).
#pragma once

#include <any>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_row.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

// What the rows of all parts of a file have in common; each thread has its own.
struct CaseMemo {
  CaseMemo(const catalog::Catalog& catalog, std::string framework)
      : systems(catalog), defaults{catalog, systems, std::move(framework)} {}
  CaseMemo(const CaseMemo&) = delete;  // parts of it know each other
  CaseMemo& operator=(const CaseMemo&) = delete;

  Systems systems;
  CaseDefaults defaults;
  std::any kept;  // by the kind, from row to row
};

struct CaseKind {
  std::string_view name;
  std::string_view value_column;              // of what is measured: a step time, a kernel time
  std::string_view mark;                      // a column of its files alone; "": of the rest
  std::span<const std::string_view> columns;  // without which there is no case
  void (*predict)(RowReader& row, CaseMemo& memo, CaseRow& of);
};

// Those that reports know apart.
const CaseKind& training_cases();
const CaseKind& inference_cases();
const CaseKind& kernel_cases();

// CaseKind::predict of a case that is read, and then predicted.
template <auto read, auto predict>
void read_and_predict(RowReader& row, CaseMemo& memo, CaseRow& of) {
  if (const auto c = read(row, memo.defaults)) {
    predict(*c, of);
  }
}

// The device of a row, as many as it says, with the power that they are limited to.
template <typename Case>
void read_system(RowReader& row, const CaseDefaults& defaults, Case& c) {
  const std::string device = row.entry("device", catalog::Section::devices);
  c.gpus = row.integer("gpus", std::nullopt);
  if (!device.empty()) {
    c.system = defaults.systems.of(device, c.gpus);
    read_power_limit(row, c.system.device);
  }
}

}  // namespace scalesweep::validation
