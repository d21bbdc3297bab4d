// The parts of spec_keys() that are no axes, a file each. Internal to the folder.
#pragma once

#include <span>

#include "keys/variants.hpp"

namespace scalesweep::space {

using config::Dimension;
using config::Key;
using config::KeyKind;
using config::Need;
using config::NumberRange;

std::span<const Key> top_keys();
std::span<const Key> allocate_keys();
std::span<const Key> result_keys();  // which points, and what to keep: together, filter, ...
std::span<const Key> dataset_keys();

}  // namespace scalesweep::space
