// What requests share, as a spec has it: beginnings of their prompts, and adapters.
#pragma once

#include <memory>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/reuse/prefix_tiers.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

// Whether requests are turns of sessions.
bool has_sessions(const space::Spec& spec);

// Of the trace of a spec that says how much its tiers hold; else nothing: shares of prompts that
// are found are said, or follow from sessions, or nothing is found.
std::shared_ptr<const estimator::HitCurve> hit_curve(const space::Spec& spec);

// Shares that are more than a prompt together; sizes without a trace or sessions that they mean
// something for, beside shares, or beside devices of their own for prompts; prefixes of a trace, or
// sessions, and nothing that holds them (a warning).
void check_prefixes(const space::Spec& spec, Diagnostics& diagnostics);

// A beginning of all sessions that is longer than their first prompt.
void check_sessions(const space::Spec& spec, Diagnostics& diagnostics);

}  // namespace scalesweep::study
