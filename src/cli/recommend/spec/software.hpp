// The formats of numbers and the frameworks of a question: those that it names, or what is usual.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "deploy/rules/unrunnable.hpp"

namespace scalesweep::cli {

// As the catalog knows it; of a name that it does not have, and of one that does not do the work,
// plain: checking the spec says so.
struct AskedFramework {
  std::string name;
  std::vector<deploy::Refusal> refused = {};  // layouts
  bool prompts_apart = false;                 // prompts run between iterations of decode
  bool expert_devices = false;  // it says that it runs experts on devices of their own
};

struct Software {
  std::vector<std::string> precisions;  // "fp8", "w4a16"
  // Values of the key `precision`: each of them, with each format of a cache that is tried.
  std::vector<std::string> precision_values;
  std::vector<AskedFramework> frameworks;
  double weight_bytes = 2.0;  // the widest in memory; 2 of names that are not known
  std::vector<std::string> assumed;
};

Software software_of(const Question& question, const Facts& facts, const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
