// How tokens travel to experts on other devices and back, and how many places each goes to.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

struct Experts;

// all_to_all: a copy for each expert, by the general library (NCCL). hierarchical: one copy to each
// domain, which passes it on to the devices that hold some of its experts, while the next arrive
// (DeepSeek-V3, arXiv:2412.19437, section 3.2.2; normal kernels of DeepEP). all_gather: all tokens
// to all devices, and sums scattered back (GShard's fallback; allgather dispatcher of
// Megatron-Core). low_latency: a copy for each expert, written straight to its device (DeepEP).
// by_routing: hierarchical where routing is limited to some groups of experts and devices are of
// several domains, else all_to_all.
enum class ExpertDispatch : std::uint8_t {
  by_routing,
  all_to_all,
  hierarchical,
  all_gather,
  low_latency
};
inline constexpr auto expert_dispatch_names = enum_names<ExpertDispatch>(
    "by_routing", "all_to_all", "hierarchical", "all_gather", "low_latency");

// Never by_routing.
ExpertDispatch resolved(ExpertDispatch dispatch, const Experts& experts, bool crosses_domains);

// Of `parts` equal parts of a layer's experts, those that hold at least one of a token's: domains,
// or devices. Experts are as popular as each other. With a limit the token goes to groups that hold
// its best experts (DeepSeek-V3, arXiv:2412.19437, section 2.1.2), so that each of them gets one in
// 99 of 100 tokens. Against draws by score (expert_dispatch_test): 1 % for parts of whole groups,
// up to 7 % too few for parts of a group.
double parts_reached(const Experts& experts, double parts);

}  // namespace scalesweep::workload
