// Real requests, one a row of a file (trace_rows.hpp), reduced to what a study of a service needs
// of them: their lengths together, how many arrive and how regularly, what caches of all sizes find
// of their prompts. Nothing else of the file is kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// Prompts and outputs are each cut into so many parts of equal ratio between the shortest and the
// longest; a class is the requests of one part of both, with the means of their lengths. So there
// are at most 64, none of a single request's length is lost by more than its part is wide, and the
// means of all are those of the file.
inline constexpr int trace_parts = 8;

// A day of requests may lack so much of its end.
inline constexpr double whole_day_s = 86400.0;
inline constexpr double missing_of_day = 0.01;

struct ReducedTrace {
  std::vector<RequestClass> requests;
  RequestTrace trace;
};

// `name`: as the spec has it, for messages that belong there; `text`: what is in the file at
// `path`. Nothing, with every mistake at its line, if it cannot be taken.
std::optional<ReducedTrace> reduce_trace(const std::string& path, const std::string& text,
                                         const SourcePosition& asked, Diagnostics& diagnostics);

}  // namespace scalesweep::space
