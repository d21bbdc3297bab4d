// What runs when in one step or iteration, for tools that draw it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/study.hpp"

namespace scalesweep::cli {

struct TraceSlice {
  std::string name;
  std::string category;  // slices of one are drawn alike
  double start_s = 0.0;
  double duration_s = 0.0;
  int micro_batch = -1;  // -1: of none
  int chunk = -1;
  std::string detail = {};
};

// What a device holds from a moment on.
struct TraceLevel {
  double start_s = 0.0;
  double bytes = 0.0;
};

// A stage of the pipeline, or one kind of iteration. Slices follow each other without overlap.
struct TraceLane {
  std::string name;
  std::vector<TraceSlice> slices;
  std::vector<TraceLevel> memory = {};  // of one device, in the order of time; empty: not known

  double end_s() const {
    return slices.empty() ? 0.0 : slices.back().start_s + slices.back().duration_s;
  }
};

struct Trace {
  std::string title;
  std::vector<TraceLane> lanes;
  std::vector<std::string> notes;  // sentences: how what is drawn compares with the estimate
};

// Of a point that has an estimate. Throws Failure(usage) for a point without one and for what
// cannot be drawn.
Trace trace_of(const study::Study& study, const study::Point& point);

// Trace events as Chrome and Perfetto read them, one lane a thread.
std::string trace_json(const Trace& trace);
// The same as a picture.
std::string trace_svg(const Trace& trace);

// Writes the one that the name of the file asks for, .json or .svg. Throws Failure(usage) for
// another name, Failure(cannot_create) if the file is there and not to be replaced.
void write_trace(const Trace& trace, const std::string& file);
void check_trace_file(const std::string& file, bool force);

}  // namespace scalesweep::cli
