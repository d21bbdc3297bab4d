#include "space/axes/together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec_axes.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// A member of a group, where it is named.
struct Member {
  std::size_t axis = 0;
  ValueCursor value;
};

// What keeps an axis out of a group, "" if nothing does.
std::string problem_of(const std::string& name, const std::vector<Axis>& axes,
                       const std::vector<std::size_t>& taken) {
  const auto axis = find_axis(axes, name);
  if (!axis) {
    std::vector<std::string> names;
    for (const Axis& known : axes) {
      names.push_back(known.name);
    }
    return fmt::format("'{}' is no axis of this study{}", name, suggestion(name, names));
  }
  if (name == searched_axis) {
    return fmt::format("'{}' is searched for each combination of the other axes; leave it out",
                       name);
  }
  if (name == draw_axis || axes[*axis].drawn) {
    return fmt::format("'{}' is drawn; leave it out", name);
  }
  return std::find(taken.begin(), taken.end(), *axis) == taken.end()
             ? ""
             : fmt::format("'{}' stands twice in [[together]]", name);
}

// Those that can be; the others are reported.
std::vector<Member> read_members(const ValueCursor& list, const std::vector<Axis>& axes,
                                 bool complete, std::vector<std::size_t>& taken, bool& good) {
  std::vector<Member> members;
  for (const ValueCursor& value : list.list_or_single()) {
    const auto name = value.string();
    const std::string problem = name ? problem_of(*name, axes, taken) : "";
    const auto& possible = axis_names();
    const bool unread = name && !complete && !find_axis(axes, *name) &&
                        std::find(possible.begin(), possible.end(), *name) != possible.end();
    if (!name || unread || !problem.empty()) {
      if (!problem.empty() && !unread) {
        value.error(problem);
      }
      good = false;
      continue;
    }
    members.push_back({*find_axis(axes, *name), value});
    taken.push_back(members.back().axis);
  }
  return members;
}

std::string size_text(const Axis& axis) {
  return fmt::format("'{}' has {} in line {}", axis.name, axis.size(), axis.positions.front().line);
}

void read_group(const TableCursor& table, std::vector<Axis>& axes, bool complete,
                std::vector<std::size_t>& taken) {
  const config::Key& key = spec_key("together.axes");
  const auto list = table.value("axes");
  if (!list) {
    table.error(fmt::format("missing key 'axes'; write for example axes = {}", key.example));
    return;
  }
  bool good = true;
  std::vector<Member> members = read_members(*list, axes, complete, taken, good);
  if (good && members.size() < 2) {
    list->error("axes that vary together are two or more; name another one, or leave it out");
  }
  if (!good || members.size() < 2) {
    return;
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.axis < b.axis; });
  const Axis& first = axes[members.front().axis];
  for (std::size_t i = 1; i < members.size(); ++i) {
    Axis& axis = axes[members[i].axis];
    if (axis.size() != first.size()) {
      members[i].value.error(fmt::format("axes that vary together have as many values each: {}, {}",
                                         size_text(first), size_text(axis)));
    } else {
      axis.follows = first.name;
    }
  }
}

}  // namespace

void read_together(const TableCursor& root, std::vector<Axis>& axes, bool complete) {
  std::vector<std::size_t> taken;
  for (const TableCursor& table : root.tables("together")) {
    read_group(table, axes, complete, taken);
  }
}

std::vector<std::vector<std::string>> groups_together(const std::vector<Axis>& axes) {
  std::vector<std::vector<std::string>> groups;
  for (const Axis& leader : axes) {
    std::vector<std::string> names = {leader.name};
    for (const Axis& axis : axes) {
      if (axis.follows == leader.name) {
        names.push_back(axis.name);
      }
    }
    if (names.size() > 1) {
      groups.push_back(std::move(names));
    }
  }
  return groups;
}

std::string together_text(const std::vector<Axis>& axes) {
  std::vector<std::string> texts;
  for (const std::vector<std::string>& names : groups_together(axes)) {
    texts.push_back(join(names, ", "));
  }
  return join(texts, "; ");
}

std::size_t leader_of(const std::vector<Axis>& axes, std::size_t axis) {
  if (axes[axis].follows.empty()) {
    return axis;
  }
  const auto leader = find_axis(axes, axes[axis].follows);
  SCALESWEEP_ENSURE(leader.has_value() && *leader < axis);
  return *leader;
}

bool meet(const std::vector<Axis>& axes, std::size_t one, std::size_t i, std::size_t other,
          std::size_t j) {
  return leader_of(axes, one) != leader_of(axes, other) || i == j;
}

}  // namespace scalesweep::space
