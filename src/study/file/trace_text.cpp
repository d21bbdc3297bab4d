#include "study/file/trace_text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

#include "core/text.hpp"

namespace scalesweep::study {
namespace {

// The number behind the first place of the words in a line; nothing if there is none.
std::optional<double> number_behind(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = line.substr(at + words.size());
  double number = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

constexpr std::string_view hash_words = ", SHA-256 ";

// "trace.csv, SHA-256 ..."
bool read_name(const std::string& line, space::RequestTrace& trace) {
  const std::size_t at = line.rfind(hash_words);
  if (at == std::string::npos) {
    return false;
  }
  trace.file = line.substr(0, at);
  trace.sha256 = line.substr(at + hash_words.size());
  return true;
}

// "1000 requests, 2.5 Hz; burstiness ..."
bool read_arrivals(const std::string& line, space::RequestTrace& trace) {
  const auto requests = number_behind(line, "");
  const auto rate = number_behind(line, "requests, ");
  const auto burstiness = number_behind(line, "burstiness ");
  if (!requests || !rate || !burstiness) {
    return false;
  }
  trace.requests = static_cast<std::int64_t>(*requests);
  trace.arrival_rate = *rate;
  trace.burstiness = *burstiness;
  trace.dispersion = number_behind(line, "32 in the mean, ").value_or(0.0);
  return true;
}

bool read_class_or_reuse(const std::string& line, space::ReducedTrace& reduced) {
  const auto prompt = number_behind(line, "requests: prompt ");
  const auto output = number_behind(line, "output ");
  const auto share = number_behind(line, "share ");
  if (prompt && output && share) {
    reduced.requests.push_back({*prompt, *output, *share, {}});
    return true;
  }
  const auto tokens = number_behind(line, "reuse: a cache of ");
  const auto found = number_behind(line, "tokens finds ");
  if (tokens && found) {
    reduced.trace.reuse.push_back({*tokens, *found});
  }
  return tokens && found;
}

void read_hours(const std::string& load_curve, space::RequestTrace& trace) {
  const std::vector<std::string> halves = split(load_curve, ';');
  if (halves.size() != 2) {
    return;  // written in the spec, not counted in the trace
  }
  for (const std::string& part : split(halves.front(), ',')) {
    trace.hours.push_back(number_behind(trim(part), "").value_or(0.0));
  }
  trace.busiest_rate = number_behind(trim(halves.back()), "").value_or(0.0);
}

}  // namespace

std::string requests_text(const std::vector<space::RequestClass>& requests) {
  std::string text;
  for (const space::RequestClass& one : requests) {
    text += fmt::format("requests: prompt {}, output {}, share {}\n", one.prompt, one.output,
                        one.share);
  }
  return text;
}

std::string reuse_text(const std::vector<space::ReusePoint>& reuse) {
  std::string text;
  for (const space::ReusePoint& point : reuse) {
    text += fmt::format("reuse: a cache of {} tokens finds {}\n", point.tokens, point.share);
  }
  return text;
}

std::string load_curve_text(const space::Spec& spec) {
  return fmt::format(
      "{}{}", fmt::join(spec.load_curve, ", "),
      spec.trace ? fmt::format("; {} Hz in the fullest hour of the trace", spec.trace->busiest_rate)
                 : "");
}

std::string trace_text(const space::RequestTrace& trace,
                       const std::vector<space::RequestClass>& requests) {
  return fmt::format(
             "{}{}{}\n{} requests, {} Hz; burstiness {}, of the times between arrivals; "
             "of the numbers of arrivals, 32 in the mean, {}\n",
             trace.file, hash_words, trace.sha256, trace.requests, trace.arrival_rate,
             trace.burstiness,
             trace.dispersion > 0.0 ? fmt::format("{}", trace.dispersion) : "not known") +
         requests_text(requests) + reuse_text(trace.reuse);
}

std::optional<space::ReducedTrace> reduced_trace(const std::string& requests,
                                                 const std::string& load_curve) {
  std::vector<std::string> lines = split(requests, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  space::ReducedTrace reduced;
  if (lines.size() < 3 || !read_name(lines[0], reduced.trace) ||
      !read_arrivals(lines[1], reduced.trace)) {
    return std::nullopt;
  }
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (!read_class_or_reuse(lines[i], reduced)) {
      return std::nullopt;
    }
  }
  read_hours(load_curve, reduced.trace);
  return reduced;
}

}  // namespace scalesweep::study
