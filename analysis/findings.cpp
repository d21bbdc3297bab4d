// The results in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/columns.hpp"
#include "analysis/slice.hpp"
#include "analysis/transitions.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::int64_t nothing_fits = -1;

// A stretch of the axis with one limit.
struct Stretch {
  std::int64_t group = nothing_fits;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<Stretch> stretches_of(const Path& path, const std::vector<Attribution>& limits) {
  std::vector<Stretch> stretches;
  for (std::size_t value = 0; value < path.rows.size(); ++value) {
    const std::int64_t row = path.rows[value];
    const std::int64_t group =
        row < 0 ? nothing_fits
                : static_cast<std::int64_t>(limits[static_cast<std::size_t>(row)].group);
    if (stretches.empty() || stretches.back().group != group) {
      stretches.push_back({group, value, value});
    }
    stretches.back().last = value;
  }
  return stretches;
}

std::string stretch_text(const Stretch& stretch, const Resources& resources,
                         const std::vector<std::string>& labels) {
  const std::string limit =
      stretch.group == nothing_fits
          ? "no strategy fits"
          : resources.groups[static_cast<std::size_t>(stretch.group)] + "-bound";
  const std::string& first = labels[stretch.first];
  const std::string& last = labels[stretch.last];
  if (stretch.first == stretch.last) {
    return fmt::format("{} at {}", limit, first);
  }
  if (stretch.first == 0 && stretch.last + 1 == labels.size()) {
    return fmt::format("{} throughout ({} to {})", limit, first, last);
  }
  if (stretch.last + 1 == labels.size()) {
    return fmt::format("{} from {} on", limit, first);
  }
  return fmt::format("{} from {} to {}", limit, first, last);
}

std::string panel_text(const StudyLayout& layout, const Path& path) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < path.panel.size(); ++i) {
    labels.push_back(layout.axes[layout.panels[i]].labels[static_cast<std::size_t>(path.panel[i])]);
  }
  return join(labels, " + ");
}

// For which panels a sentence holds: all, or their names, or how many and the first of them.
std::string panels_text(const StudyLayout& layout, const std::vector<std::string>& panels,
                        std::size_t all) {
  constexpr std::size_t most_names = 6;
  if (layout.panels.empty()) {
    return "";
  }
  if (panels.size() == all) {
    std::vector<std::string> names;
    for (const std::size_t axis : layout.panels) {
      names.push_back(layout.axes[axis].name);
    }
    return fmt::format(": every {}", join(names, " and "));
  }
  if (panels.size() <= most_names) {
    return ": " + join(panels, ", ");
  }
  const std::vector<std::string> first(panels.begin(), panels.begin() + most_names);
  return fmt::format(": {} of {} combinations ({}, ...)", panels.size(), all, join(first, ", "));
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

// The fastest point at each end of the axis and the ratio of their times.
std::string gain_text(const StudyLayout& layout, const ResultTable& best,
                      const std::vector<Path>& paths) {
  const auto times_s = numbers(best.table, best.schema, std::string(layout.time.better));
  const store::AxisValues& axis = layout.axes[layout.along];
  struct Fastest {
    const Path* path = nullptr;
    std::size_t value = 0;
    double time_s = 0.0;
  };
  const auto fastest_at = [&](std::size_t value) {
    Fastest fastest;
    for (const Path& path : paths) {
      const std::int64_t row = path.rows[value];
      if (row >= 0 &&
          (fastest.path == nullptr || times_s[static_cast<std::size_t>(row)] < fastest.time_s)) {
        fastest = {&path, value, times_s[static_cast<std::size_t>(row)]};
      }
    }
    return fastest;
  };
  std::vector<Fastest> found;
  for (std::size_t value = 0; value < axis.labels.size(); ++value) {
    const Fastest fastest = fastest_at(value);
    if (fastest.path != nullptr) {
      found.push_back(fastest);
    }
  }
  if (found.size() < 2 || !layout.workloads.empty()) {
    return "";
  }
  const auto where = [&](const Fastest& fastest) {
    const std::string panel = panel_text(layout, *fastest.path);
    return axis.labels[fastest.value] + (panel.empty() ? "" : " + " + panel);
  };
  return fmt::format("Best {}: {:.4g} s at {}, {:.4g} s at {} ({:.3g}x)", layout.time.better_words,
                     found.front().time_s, where(found.front()), found.back().time_s,
                     where(found.back()), found.front().time_s / found.back().time_s);
}

}  // namespace

std::vector<std::string> findings_of(const StudyLayout& layout, const Resources& resources,
                                     const ResultTable& best, const std::vector<Path>& paths) {
  const std::vector<Attribution> limits = attributions(best, resources);
  const std::vector<std::string>& labels = layout.axes[layout.along].labels;
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;  // and their panels
  for (const Path& path : paths) {
    std::vector<std::string> parts;
    for (const Stretch& stretch : stretches_of(path, limits)) {
      parts.push_back(stretch_text(stretch, resources, labels));
    }
    const std::string sentence = capitalised(join(parts, ", "));
    auto place = std::find_if(sentences.begin(), sentences.end(),
                              [&](const auto& known) { return known.first == sentence; });
    if (place == sentences.end()) {
      place = sentences.insert(sentences.end(), {sentence, {}});
    }
    place->second.push_back(panel_text(layout, path));
  }
  std::vector<std::string> findings;
  for (const auto& [sentence, panels] : sentences) {
    findings.push_back(sentence + panels_text(layout, panels, paths.size()));
  }
  const std::string gain = gain_text(layout, best, paths);
  if (!gain.empty()) {
    findings.push_back(gain);
  }
  return findings;
}

}  // namespace scalesweep::analysis
