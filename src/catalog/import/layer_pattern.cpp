#include "catalog/import/layer_pattern.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::int64_t most_layers = 1'000'000;

struct Run {
  std::int64_t layers = 0;
  std::string_view span;
};

std::optional<Run> read_run(std::string_view text) {
  Run run;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run.layers);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || run.layers < 1 || run.layers > most_layers) {
    return std::nullopt;
  }
  run.span = trim(text.substr(digits));
  return run.span == "window" || run.span == "whole" ? std::optional(run) : std::nullopt;
}

bool repeats(const std::vector<bool>& layers, std::size_t period) {
  for (std::size_t i = period; i < layers.size(); ++i) {
    if (layers[i] != layers[i - period]) {
      return false;
    }
  }
  return true;
}

std::string runs_of(const std::vector<bool>& layers, std::size_t begin, std::size_t end) {
  std::string text;
  while (begin < end) {
    std::size_t next = begin;
    while (next < end && layers[next] == layers[begin]) {
      ++next;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", next - begin,
                        layers[begin] ? "window" : "whole");
    begin = next;
  }
  return text;
}

}  // namespace

std::optional<SpanCounts> count_spans(std::string_view text, std::string& problem) {
  SpanCounts counts;
  if (trim(text).empty()) {
    return counts;
  }
  for (const std::string& part : split(text, ',')) {
    const std::optional<Run> run = read_run(trim(part));
    if (!run) {
      problem = fmt::format(
          "'{}' is no run of layers; give their number and what they attend to, window or whole, "
          "as in \"5 window, 1 whole\"",
          trim(part));
      return std::nullopt;
    }
    (run->span == "window" ? counts.window : counts.whole) += run->layers;
  }
  return counts;
}

LayerPattern pattern_of(const std::vector<bool>& windowed) {
  std::size_t period = 1;
  while (!repeats(windowed, period)) {
    ++period;
  }
  const std::size_t end = windowed.size() / period * period;
  return {runs_of(windowed, 0, period), runs_of(windowed, end, windowed.size())};
}

}  // namespace scalesweep::catalog
