// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event
// Format, from memory): complete events "X" with times in microseconds, counters "C", names of
// threads as metadata "M".
#include "cli/explain/trace/trace.hpp"
#include "core/documents/json.hpp"

namespace scalesweep::cli {
namespace {

constexpr double microseconds = 1e6;
constexpr int process = 1;

Json metadata(const char* name, int lane, const char* key, Json value) {
  return Json::object({{"name", name},
                       {"ph", "M"},
                       {"pid", process},
                       {"tid", lane},
                       {"args", Json::object({{key, std::move(value)}})}});
}

Json event_of(const TraceSlice& slice, int lane) {
  Json::Members args;
  if (slice.micro_batch >= 0) {
    args.emplace_back("micro_batch", slice.micro_batch);
    args.emplace_back("chunk", slice.chunk);
  }
  if (!slice.detail.empty()) {
    args.emplace_back("detail", slice.detail);
  }
  return Json::object({{"name", slice.name},
                       {"cat", slice.category},
                       {"ph", "X"},
                       {"ts", microseconds * slice.start_s},
                       {"dur", microseconds * slice.duration_s},
                       {"pid", process},
                       {"tid", lane},
                       {"args", Json::object(std::move(args))}});
}

Json event_of(const TraceLevel& level, const std::string& lane) {
  return Json::object({{"name", "memory of " + lane},
                       {"ph", "C"},
                       {"ts", microseconds * level.start_s},
                       {"pid", process},
                       {"args", Json::object({{"bytes", level.bytes}})}});
}

}  // namespace

std::string trace_json(const Trace& trace) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"otherData\":";
  text += Json::object({{"title", trace.title}, {"notes", trace.notes}}).dump();
  text += ",\"traceEvents\":[\n";
  text += metadata("process_name", 0, "name", trace.title).dump();
  int lane = 0;
  for (const TraceLane& each : trace.lanes) {
    ++lane;
    text += ",\n" + metadata("thread_name", lane, "name", each.name).dump();
    text += ",\n" + metadata("thread_sort_index", lane, "sort_index", lane).dump();
    for (const TraceSlice& slice : each.slices) {
      text += ",\n" + event_of(slice, lane).dump();
    }
    for (const TraceLevel& level : each.memory) {
      text += ",\n" + event_of(level, each.name).dump();
    }
  }
  return text + "\n]}\n";
}

}  // namespace scalesweep::cli
