// Names of software stacks with a version: "vllm@0.11".
#pragma once

#include <string_view>

namespace scalesweep::workload {

struct StackName {
  std::string_view stack;
  std::string_view version;  // "" where the name says none
};

// Views of `name`: what stands before the first '@', and behind it.
StackName stack_name(std::string_view name);

// Runs of digits are compared as numbers, what is between them as text: 0.9 < 0.11 < 0.11.1, and
// core_r0.9 < core_r0.12. A version is older than one that goes on behind it.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace scalesweep::workload
