#include "analysis/show/text/limit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/verdict/attribution.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_limits = 4;  // resources of a point
constexpr double least_share = 0.01;    // of a resource that is told
constexpr double least_range = 0.05;    // of shares over layouts that tie, to be told as one

// "11 to 52 %".
std::string range_text(double least, double most) {
  const std::string low = percent(least);
  return fmt::format("{} to {}", low.substr(0, low.size() - 2), percent(most));
}

// Of a latency a better one is a shorter one.
std::string more_of(const std::string& resource) {
  return words(resource) + (resource == latency_resource ? " (less)" : "");
}

}  // namespace

std::string percent(double part) {
  return fmt::format("{:.{}f} %", 100.0 * part, part < 0.0995 ? 1 : 0);
}

std::string limit_text(const Verdicts& verdicts, const Verdict& verdict) {
  std::vector<std::string> shares;
  bool has_range = false;
  for (const Limit& limit : verdict.limits) {
    const bool is_wide = verdict.tied > 1 && limit.most - limit.least >= least_range;
    if (shares.size() < most_limits && (is_wide || limit.share >= least_share)) {
      shares.push_back(
          fmt::format("{} {}", words(limit.resource),
                      is_wide ? range_text(limit.least, limit.most) : percent(limit.share)));
      has_range = has_range || is_wide;
    }
  }
  const std::string over = fmt::format(" over {} layouts that tie", with_thousands(verdict.tied));
  if (verdict.groups.size() > 1) {
    std::vector<std::string> groups;
    for (const std::string& group : verdict.groups) {
      groups.push_back(words(group) + "-");
    }
    return fmt::format("{}bound, by the layout: {} of the {}{}", join(groups, " or "),
                       join(shares, ", "), verdicts.time_words, over);
  }
  return fmt::format("{}-bound, {} of the {}: {}{}", words(verdict.group),
                     percent(verdict.group_share), verdicts.time_words, join(shares, ", "),
                     has_range ? over : "");
}

namespace {

// "of tensor compute saves 61 % of the step time, of scale-out network 7.0 %", the most first.
std::string savings_text(std::vector<std::pair<std::string, double>> savings, double least,
                         const std::string& time) {
  std::stable_sort(savings.begin(), savings.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [resource, saved] : savings) {
    if (texts.size() < most_limits && (saved >= least || texts.empty())) {
      texts.push_back(fmt::format("of {}{} {}", more_of(resource), texts.empty() ? " saves" : "",
                                  percent(saved)) +
                      (texts.empty() ? " of the " + time : ""));
    }
  }
  return join(texts, ", ");
}

bool is_computed(const Verdict& verdict) {
  return std::any_of(verdict.limits.begin(), verdict.limits.end(),
                     [](const Limit& limit) { return !std::isnan(limit.without_limit); });
}

}  // namespace

std::string gain_text(const Verdicts& verdicts, const Verdict& verdict) {
  std::vector<std::pair<std::string, double>> gains;
  for (const Limit& limit : verdict.limits) {
    gains.emplace_back(limit.resource, limit.gain_10);
  }
  return savings_text(std::move(gains), gain_of_ten_percent(least_share), verdicts.time_words) +
         (is_computed(verdict) ? "" : "; linear, by the shares");
}

std::string unlimited_text(const Verdicts& verdicts, const Verdict& verdict) {
  if (!is_computed(verdict)) {
    return "";
  }
  std::vector<std::pair<std::string, double>> saved;
  for (const Limit& limit : verdict.limits) {
    if (!std::isnan(limit.without_limit)) {
      saved.emplace_back(limit.resource, limit.without_limit);
    }
  }
  return savings_text(std::move(saved), least_share, verdicts.time_words);
}

}  // namespace scalesweep::analysis
