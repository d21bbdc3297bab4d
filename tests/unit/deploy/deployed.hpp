// Deployments of points that a few lines of a spec choose.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "deploy/deploy.hpp"
#include "study/resolve/choose.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::test {

// Of one point: every key has one value.
inline std::string training_spec(const std::string& model, const std::string& workload,
                                 int accelerators, const std::string& strategy) {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"training\"\nmodel = \"" + model +
         "\"\n" + workload + "\n[system]\naccelerators = " + std::to_string(accelerators) +
         "\ndevice = \"h100-sxm\"\n[strategy]\n" + strategy + "\n";
}

inline std::string serving_spec(const std::string& model, const std::string& workload,
                                int accelerators, const std::string& strategy) {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"serving\"\nmodel = \"" + model +
         "\"\n" + workload + "\n[system]\naccelerators = " + std::to_string(accelerators) +
         "\ndevice = \"h100-sxm\"\n[strategy]\npipeline_parallel = 1\n" + strategy + "\n";
}

inline deploy::Deployment deployed(const std::string& spec, std::string_view target) {
  const study::Study study = load_good(spec);
  EXPECT_EQ(study.space().size(), 1) << spec;
  return deploy::deploy(study, study.point_at(0), target);
}

// Of an option that is written; "(absent)" of others.
inline std::string flag(const deploy::Deployment& made, std::string_view name) {
  const auto found = std::find_if(made.flags.begin(), made.flags.end(),
                                  [name](const deploy::Flag& one) { return one.name == name; });
  return found == made.flags.end() ? "(absent)" : found->value;
}

inline std::string file(const deploy::Deployment& made, std::string_view name) {
  const auto found = std::find_if(made.files.begin(), made.files.end(),
                                  [name](const deploy::File& one) { return one.name == name; });
  return found == made.files.end() ? "(absent)" : found->content;
}

inline std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text + "\n";
  }
  return all;
}

inline const std::string dense_workload =
    "sequence = 8192\nglobal_batch = 256\nframework = "
    "\"megatron-lm\"";
inline const std::string dense_strategy =
    "tensor_parallel = 8\npipeline_parallel = 4\nchunks = 5\nmicro_batch = 1\nrecompute = "
    "\"none\"\nzero = 1\nsequence_parallel = true";

}  // namespace scalesweep::test
