// The formats of numbers and the frameworks of a question: those that it names, or what is usual.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "workload/framework.hpp"

namespace scalesweep::cli {

struct Software {
  std::vector<std::string> precisions;  // "fp8", "w4a16"
  // Values of the key `precision`: each of them, with each format of a cache that is tried.
  std::vector<std::string> precision_values;
  std::vector<std::string> frameworks;
  double weight_bytes = 2.0;  // the widest in memory; 2 of names that are not known
  std::vector<std::string> assumed;
};

Software software_of(const Question& question, const Facts& facts, const catalog::Catalog& catalog);

// Null: nobody knows it, or it does not do the work; checking the spec says so.
const workload::Framework* known_framework(const std::string& name, Aim aim,
                                           const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
