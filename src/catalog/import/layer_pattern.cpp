#include "catalog/import/layer_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::int64_t most_layers = 1'000'000;
constexpr std::array<std::string_view, 3> form_names = {"whole", "window", "linear"};

struct Run {
  std::int64_t layers = 0;
  std::string_view form;
};

std::optional<Run> read_run(std::string_view text) {
  Run run;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run.layers);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || run.layers < 1 || run.layers > most_layers) {
    return std::nullopt;
  }
  run.form = trim(text.substr(digits));
  return std::find(form_names.begin(), form_names.end(), run.form) != form_names.end()
             ? std::optional(run)
             : std::nullopt;
}

bool repeats(const std::vector<LayerForm>& layers, std::size_t period) {
  for (std::size_t i = period; i < layers.size(); ++i) {
    if (layers[i] != layers[i - period]) {
      return false;
    }
  }
  return true;
}

std::string runs_of(const std::vector<LayerForm>& layers, std::size_t begin, std::size_t end) {
  std::string text;
  while (begin < end) {
    std::size_t next = begin;
    while (next < end && layers[next] == layers[begin]) {
      ++next;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", next - begin,
                        form_names[static_cast<std::size_t>(layers[begin])]);
    begin = next;
  }
  return text;
}

}  // namespace

std::optional<FormCounts> count_forms(std::string_view text, std::string& problem) {
  FormCounts counts;
  if (trim(text).empty()) {
    return counts;
  }
  for (const std::string& part : split(text, ',')) {
    const std::optional<Run> run = read_run(trim(part));
    if (!run) {
      problem = fmt::format(
          "'{}' is no run of layers; give their number and what they attend to, window or whole, "
          "as in \"5 window, 1 whole\", or linear where they have a state, as in \"3 linear, 1 "
          "whole\"",
          trim(part));
      return std::nullopt;
    }
    (run->form == "window"   ? counts.window
     : run->form == "linear" ? counts.linear
                             : counts.whole) += run->layers;
  }
  return counts;
}

LayerPattern pattern_of(const std::vector<LayerForm>& layers) {
  std::size_t period = 1;
  while (!repeats(layers, period)) {
    ++period;
  }
  const std::size_t end = layers.size() / period * period;
  return {runs_of(layers, 0, period), runs_of(layers, end, layers.size())};
}

}  // namespace scalesweep::catalog
