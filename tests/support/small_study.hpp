// Specs of a few hundred points on the shipped catalog, for tests of study and command line.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "study/study.hpp"

namespace scalesweep::test {

inline std::filesystem::path source_folder() {
  const char* folder = std::getenv("SCALESWEEP_SOURCE_DIR");
  if (folder == nullptr) {
    throw std::runtime_error("run this test by ctest: it sets SCALESWEEP_SOURCE_DIR");
  }
  return folder;
}

inline std::filesystem::path nodes_folder() {
  return source_folder() / "nodes";
}

// Two nodes, two memories, two networks; some strategies fit memory and some do not.
inline std::string small_spec(const std::string& rest = "") {
  return R"(schema = 1
title = "Small study"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
[system]
accelerators = 16
logic = ["N7", "N3"]
memory = ["HBM2E", "HBM3"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = ["HDRx8", "NDRx8"]
device = { template = "tensor-core-gpu", die_area = "826 mm2", power = "500 W", stacks = 2 }
[strategy]
tensor_parallel = { powers_of_two_to = 8 }
pipeline_parallel = [1, 2, 4]
chunks = [1, 2]
micro_batch = [1, 2]
)" + rest;
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The text with one passage replaced; throws if it is not there, so that a test cannot rot.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::runtime_error("not in the text: " + from);
  }
  return text.replace(at, from.size(), to);
}

}  // namespace scalesweep::test
