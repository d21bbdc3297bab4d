// Loads specs from text, and evaluates ranges of them.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "study/columns/schema.hpp"
#include "study/study.hpp"
#include "support/small_study.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::test {

struct Loaded {
  std::optional<study::Study> study;
  std::string messages;  // with the folder of the spec taken away
};

inline Loaded load_text(const std::string& text,
                        study::WorkloadKinds kinds = study::workload_kinds()) {
  const TemporaryFolder folder;
  write_text(folder / "spec.toml", text);
  Diagnostics diagnostics;
  Loaded loaded;
  loaded.study = study::Study::load(folder / "spec.toml", nodes_folder(), diagnostics, kinds);
  const std::string prefix = folder.path().string() + "/";
  loaded.messages = diagnostics.text();
  for (std::size_t at = 0; (at = loaded.messages.find(prefix)) != std::string::npos;) {
    loaded.messages.erase(at, prefix.size());
  }
  return loaded;
}

inline study::Study load_good(const std::string& text) {
  Loaded loaded = load_text(text);
  EXPECT_EQ(loaded.messages, "");
  if (!loaded.study) {
    throw std::runtime_error("the spec of a test is wrong");
  }
  return *loaded.study;
}

// With a catalog that is read once. Warnings are let pass: of what competes, say.
inline study::Study load_quickly(const std::string& spec) {
  static const auto catalog = [] {
    Diagnostics diagnostics;
    return std::make_shared<const catalog::Catalog>(
        *catalog::Catalog::load(nodes_folder(), diagnostics));
  }();
  Diagnostics diagnostics;
  std::optional<study::Study> study = study::Study::of({"spec.toml", spec, catalog}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.text() << spec;
  return study.value();
}

inline engine::RangeResult empty_result(const study::Study& study) {
  return {store::Table(study.description().schema), store::zero_counts(study.description()),
          std::numeric_limits<double>::infinity()};
}

inline engine::RangeResult evaluate(const study::Study& study, IdRange ids) {
  engine::RangeResult result = empty_result(study);
  study.make_evaluator().evaluate(ids, result);
  return result;
}

inline engine::RangeResult evaluate_all(const study::Study& study) {
  return evaluate(study, {0, study.space().size()});
}

// Bit for bit, NaN included.
inline void expect_same_rows(const store::Table& a, const store::Table& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  for (std::size_t column = 0; column < a.columns(); ++column) {
    for (std::size_t row = 0; row < a.rows(); ++row) {
      const double x = a.number(column, row);
      const double y = b.number(column, row);
      ASSERT_TRUE(x == y || (x != x && y != y)) << "column " << column << ", row " << row;
    }
  }
}

}  // namespace scalesweep::test
