#include "space/keep_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

constexpr std::string_view per_words = " per ";
constexpr std::string_view bounded_words = "; counts bounded";

std::string with_groups(std::string text, const Keep& keep) {
  if (!keep.per.empty()) {
    text += std::string(per_words) + join(keep.per, ", ");
  }
  return keep.counts == Counts::bounded ? text + std::string(bounded_words) : text;
}

// The count of "best 3"; 0 for what is none.
int count_of(std::string_view digits) {
  int count = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && stop == digits.data() + digits.size() ? count : 0;
}

}  // namespace

std::string keep_text(const Keep& keep) {
  switch (keep.policy) {
    case KeepPolicy::feasible:
      return "feasible";
    case KeepPolicy::frontier:
      return with_groups("frontier", keep);
    case KeepPolicy::best:
      return with_groups(fmt::format("best {}", keep.best_count), keep);
    case KeepPolicy::all:
      break;
  }
  return "all";
}

std::optional<Keep> keep_of_text(const std::string& whole) {
  Keep keep;
  std::string text = whole;
  if (text.ends_with(bounded_words)) {
    text.resize(text.size() - bounded_words.size());
    keep.counts = Counts::bounded;
  }
  const std::size_t end = std::min(text.find(per_words), text.size());
  const std::string policy = text.substr(0, end);
  const std::string best = "best ";
  if (text == "all" || text == "feasible") {
    keep.policy = text == "all" ? KeepPolicy::all : KeepPolicy::feasible;
    return keep.counts == Counts::exact ? std::optional(keep) : std::nullopt;
  }
  if (policy == "frontier") {
    keep.policy = KeepPolicy::frontier;
  } else if (policy.starts_with(best)) {
    keep.policy = KeepPolicy::best;
    keep.best_count = count_of(std::string_view(policy).substr(best.size()));
  } else {
    return std::nullopt;
  }
  if (keep.best_count < 1) {
    return std::nullopt;
  }
  if (end < text.size()) {
    for (const std::string& axis : split(text.substr(end + per_words.size()), ',')) {
      keep.per.emplace_back(trim(axis));
    }
  }
  return keep;
}

}  // namespace scalesweep::space
