// How ranks that share a cache along the sequence join what each finds in its part.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

// How tensor-parallel ranks that have parts of a sequence's cache add up what each finds of all
// their heads: every rank learns all logarithms of sums, scales its outputs and the sums are
// scattered by heads (ag_rs of vLLM and SGLang); or outputs with their logarithms go to the ranks
// of their heads, which add them up (a2a of both; Helix, Bhatia et al., arXiv:2507.07120).
enum class PartialOutputs : std::uint8_t { reduce_scatter, all_to_all };
inline constexpr auto partial_outputs_names =
    enum_names<PartialOutputs>("reduce_scatter", "all_to_all");

}  // namespace scalesweep::workload
