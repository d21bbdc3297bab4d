// What `catalog import` makes of a config.json.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "catalog/import/import_model.hpp"
#include "example_catalog.hpp"

namespace scalesweep::catalog::test {

// The model that the config makes, by way of the catalog file that is written for it.
inline workload::TransformerModel imported(const std::string& config) {
  Diagnostics diagnostics;
  const auto model = import_model("config.json", config, "m", diagnostics);
  if (!model) {
    throw std::runtime_error(diagnostics.text());
  }
  const workload::TransformerModel loaded = load_text(catalog_text(*model)).model("m");
  EXPECT_EQ(loaded, model->model) << catalog_text(*model);
  return loaded;
}

inline std::string import_complaints(const std::string& config) {
  Diagnostics diagnostics;
  const auto model = import_model("config.json", config, "", diagnostics);
  EXPECT_EQ(model.has_value(), diagnostics.text().empty());
  return diagnostics.text();
}

}  // namespace scalesweep::catalog::test
