// Texts of a study's file that are JSON, and back: what a trace of requests was reduced to, so that
// nobody needs it again, the load over a day, and which entries are of overlays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/provenance.hpp"
#include "space/read/spec.hpp"
#include "space/requests/request_trace.hpp"

namespace scalesweep::study {

// {"file": "trace.csv", "sha256": "0123...", "requests": 1000, "arrival_rate": 2.5, "burstiness":
// 1.2, "dispersion": 3.4, "classes": [{"prompt", "output", "share"}], "reuse": [{"tokens",
// "share"}]}; a dispersion that is not known is null.
std::string trace_json(const space::RequestTrace& trace,
                       const std::vector<space::RequestClass>& requests);
// {"loads": [1, 0.5]}: arrivals in equal parts of the day over those of its peak; with
// "busiest_rate" (Hz, in the fullest hour) where there is a trace.
std::string load_curve_json(const space::Spec& spec);
// Of both texts, to the last bit; nothing if the first is no such text. Without a load curve (""),
// or with one that is not of the trace, it has no hours.
std::optional<space::ReducedTrace> trace_of_json(const std::string& requests,
                                                 const std::string& load_curve);

// [{"entry": "devices my-chip", "file": "my-chip.toml", "sha256": "0123..."}]; "" where there is
// none.
std::string overlays_json(const std::vector<const catalog::Entry*>& entries);
catalog::OverlaysByEntry overlays_of_json(const std::string& text);

}  // namespace scalesweep::study
