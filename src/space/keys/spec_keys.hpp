// Every key of a spec, one row each: the reader, `check`, sweeps/README.md, `scalesweep help spec`
// and the schema for editors are made of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/key.hpp"
#include "keys/variants.hpp"

namespace scalesweep::space {

using config::Key;
using keys::catalogued_device;
using keys::derived_device;
using keys::of;
using parallel::WorkloadKind;

// By path ("system.device.die_area"). Those that are axes stand in the canonical order of Space:
// the ones that decide which strategies are valid, up to `accelerators`, are slowest, then the rest
// of the workload, the device, the networks, economics, the whole run; candidates of [allocate] are
// fastest.
std::span<const Key> spec_keys();
// The row of one, which there must be.
const Key& spec_key(std::string_view path, config::Variants variants = config::every_variant);
// The rows of the keys that stand in a table ("workload") of these variants.
std::vector<const Key*> keys_in(std::string_view table,
                                config::Variants variants = config::every_variant);

}  // namespace scalesweep::space
