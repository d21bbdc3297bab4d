// What a trace of requests was reduced to, as the file of a study holds it, and back: nobody needs
// the trace again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "space/requests/request_trace.hpp"
#include "space/spec/spec.hpp"

namespace scalesweep::study {

// A line for each class, and for each point of the curve.
std::string requests_text(const std::vector<space::RequestClass>& requests);
std::string reuse_text(const std::vector<space::ReusePoint>& reuse);

// Arrivals in equal parts of the day over those of its peak.
std::string load_curve_text(const space::Spec& spec);
std::string trace_text(const space::RequestTrace& trace,
                       const std::vector<space::RequestClass>& requests);

// Of both texts, to the last bit; nothing if the first is no such text. Without a load curve ("")
// it has no hours.
std::optional<space::ReducedTrace> reduced_trace(const std::string& requests,
                                                 const std::string& load_curve);

}  // namespace scalesweep::study
