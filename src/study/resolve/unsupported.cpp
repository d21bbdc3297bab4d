#include "study/resolve/unsupported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "space/axes/together.hpp"
#include "study/resolve/allocate.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using Index = std::vector<std::int32_t>;

constexpr std::string_view precision_axis = "precision";
// What a format is asked of.
constexpr std::array<std::string_view, 4> asked_axes = {"device", "prefill_device", "template",
                                                        precision_axis};
// Points that are looked at to see what filters leave of a combination.
constexpr std::int64_t most_looked_at = 2'000'000;

// The axes whose values decide, and of each axis whether it has the index of one of them.
struct Deciding {
  std::vector<std::size_t> axes;  // those that have their own index
  std::vector<bool> is_decided;
  std::vector<std::string> names;  // of what is asked
};

Deciding deciding(const std::vector<space::Axis>& axes) {
  std::set<std::size_t> leaders;
  Deciding result;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (std::find(asked_axes.begin(), asked_axes.end(), axes[i].name) == asked_axes.end()) {
      continue;
    }
    leaders.insert(space::leader_of(axes, i));
    result.names.push_back(axes[i].name);
  }
  result.axes.assign(leaders.begin(), leaders.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.is_decided.push_back(leaders.contains(space::leader_of(axes, i)));
  }
  return result;
}

// The next combination of the deciding axes, with the first values of all others that there are;
// false after the last one.
bool advance(Index& index, const Deciding& by, const std::vector<space::Axis>& axes) {
  bool more = false;
  for (std::size_t d = by.axes.size(); d-- > 0 && !more;) {
    const std::size_t axis = by.axes[d];
    more = static_cast<std::size_t>(++index[axis]) < axes[axis].size();
    index[axis] = more ? index[axis] : 0;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    index[i] = index[space::leader_of(axes, i)];
  }
  return more;
}

// Of a combination without an estimate, why.
using Missing = std::map<Index, std::string>;

Missing missing_of(const space::Spec& spec, const space::Space& space, const Resolver& resolver,
                   const Deciding& by, std::int64_t& all) {
  // Shares of a budget change no format.
  const technology::Shares shares =
      spec.allocation ? shares_at(*spec.allocation, candidate_at(*spec.allocation, 0, {}))
                      : technology::Shares{};
  Missing missing;
  Index index(space.axes().size(), 0);
  do {
    const SystemChoice choice = resolver.system(index, resolver.job(index), shares);
    if (choice.status == Status::unsupported_precision) {
      missing.emplace(index, choice.reason);
    }
    ++all;
  } while (advance(index, by, space.axes()));
  return missing;
}

// Without those that filters leave nothing of.
Missing accepted(const space::Space& space, const Deciding& by, Missing missing) {
  space::FilterSet filters = space.make_filters();
  if (filters.empty() || missing.empty()) {
    return missing;
  }
  std::set<Index> seen;
  std::int64_t looked_at = 0;
  for (PointId id = 0; id < space.size() && seen.size() < missing.size();) {
    const space::Run run = space.run_at(id);
    Index index = run.axis_index;
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = by.is_decided[i] ? index[i] : 0;
    }
    const bool open = missing.contains(index) && !seen.contains(index);
    for (std::size_t i = 0; open && i < run.strategies.size(); ++i) {
      if (++looked_at > most_looked_at) {
        return missing;
      }
      if (filters.passes(run, i)) {
        seen.insert(index);
        break;
      }
    }
    id = run.ids.last;
    if (++looked_at > most_looked_at) {
      return missing;
    }
  }
  std::erase_if(missing, [&](const auto& one) { return !seen.contains(one.first); });
  return missing;
}

// A format that is too narrow to be multiplied may still be stored, where requests are served.
std::string way_out(const space::Spec& spec, const std::string& label) {
  const auto format = technology::precision_from(label);
  if (!format || technology::element_bytes(*format) >= 2.0 || spec.kind == nullptr ||
      (spec.kind->name != "inference" && spec.kind->name != "serving")) {
    return "";
  }
  return fmt::format(
      "; weights alone may have it, multiplied in 16 bits: write {{ name = \"{}-weights\", weights "
      "= \"{}\" }}",
      label, label);
}

// Each once, the first of many.
std::string reasons_text(const std::vector<std::string>& reasons) {
  constexpr std::size_t most = 4;
  const std::set<std::string> different(reasons.begin(), reasons.end());
  return join_first(most, std::vector<std::string>(different.begin(), different.end()));
}

}  // namespace

void warn_of_unsupported(const space::Spec& spec, const space::Space& space,
                         const Resolver& resolver, Diagnostics& diagnostics) {
  const auto precision = space::find_axis(space.axes(), std::string(precision_axis));
  if (!precision) {
    return;
  }
  const Deciding by = deciding(space.axes());
  std::int64_t all = 0;
  const Missing missing = accepted(space, by, missing_of(spec, space, resolver, by, all));
  std::map<std::int32_t, std::vector<std::string>> reasons;  // by the place of the precision
  for (const auto& [index, reason] : missing) {
    reasons[index[*precision]].push_back(reason);
  }
  const space::Axis& axis = space.axes()[*precision];
  for (const auto& [place, why] : reasons) {
    const auto at = static_cast<std::size_t>(place);
    const std::string how_many = all == 1 ? "any point"
                                          : fmt::format("{} of {} combinations of {}", why.size(),
                                                        all, join(by.names, " and "));
    diagnostics.warning(axis.positions[at],
                        fmt::format("{}; no estimate for {} (status unsupported_precision){}",
                                    reasons_text(why), how_many, way_out(spec, axis.labels[at])));
  }
}

}  // namespace scalesweep::study
