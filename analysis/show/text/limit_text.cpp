#include "analysis/show/text/limit_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "analysis/file/columns.hpp"
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

std::string gain_text(const Verdicts& verdicts, const Verdict& verdict) {
  std::vector<std::string> gains;
  for (const Limit& limit : verdict.limits) {
    if (gains.size() < most_limits && limit.share >= least_share) {
      gains.push_back(fmt::format("of {}{} {}", more_of(limit.resource),
                                  gains.empty() ? " saves" : "", percent(limit.gain_10)) +
                      (gains.empty() ? " of the " + verdicts.time_words : ""));
    }
  }
  return join(gains, ", ");
}

}  // namespace scalesweep::analysis
