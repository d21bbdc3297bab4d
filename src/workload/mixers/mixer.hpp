// Kinds of the layers of a transformer, by what brings the tokens of one together.
#pragma once

namespace scalesweep::workload {

// Attention, or a state that the tokens pass on.
enum class Mixer { attention, linear };

// Which keys a layer attends to.
enum class AttentionSpan { whole, window };

}  // namespace scalesweep::workload
