#include "analysis/file/union/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/stored_rules.hpp"
#include "store/read/study_parts.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The first study that has the axis.
const Input& first_with(const std::vector<Input>& inputs, const std::string& name) {
  return *std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) {
    return find_axis(input.reader.axes(), name) != nullptr;
  });
}

void check_units(const Input& one, const Input& other, const std::string& name) {
  const std::string& a = find_axis(one.reader.axes(), name)->units;
  const std::string& b = find_axis(other.reader.axes(), name)->units;
  const auto in_words = [](const std::string& units) { return units.empty() ? "names" : units; };
  if (a != b) {
    refuse(fmt::format("the axis '{}' is in {} in {} and in {} in {}: they cannot be one axis",
                       name, in_words(a), one.file.string(), in_words(b), other.file.string()));
  }
}

store::AxisValues study_axis_of(const std::vector<Input>& inputs) {
  store::AxisValues axis{std::string(store::study_axis), "", "Values of the axis study.", {}, {}};
  for (const Input& input : inputs) {
    axis.labels.push_back(input.name);
  }
  return axis;
}

bool ascends(const std::vector<double>& values) {
  return std::is_sorted(values.begin(), values.end());
}

// Quantities of all studies by their values, in ascending order where each study has them so.
void join_quantities(const std::vector<const store::AxisValues*>& axes, store::AxisValues& all) {
  bool sorted = true;
  std::vector<std::pair<double, std::string>> values;
  for (const store::AxisValues* axis : axes) {
    sorted = sorted && ascends(axis->values);
    for (std::size_t i = 0; i < axis->values.size(); ++i) {
      const double value = axis->values[i];
      const bool known = std::any_of(values.begin(), values.end(),
                                     [&](const auto& one) { return one.first == value; });
      if (!known) {
        values.emplace_back(value, axis->labels[i]);
      }
    }
  }
  if (sorted) {
    std::stable_sort(values.begin(), values.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  for (const auto& [value, label] : values) {
    const bool taken = std::find(all.labels.begin(), all.labels.end(), label) != all.labels.end();
    all.values.push_back(value);
    all.labels.push_back(taken ? fmt::format("{} ({:.17g} {})", label, value, all.units) : label);
  }
}

bool has_numbers_in_all(const std::vector<Input>& inputs, const std::string& name) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const Input& input) {
    const store::AxisValues* axis = find_axis(input.reader.axes(), name);
    return axis == nullptr || (is_quantity(*axis) && axis->values.size() == axis->labels.size());
  });
}

std::int32_t place_of(const store::AxisValues& all, const store::AxisValues& axis, bool has_numbers,
                      std::size_t i) {
  const auto find = [](const auto& items, const auto& item) {
    return static_cast<std::int32_t>(std::find(items.begin(), items.end(), item) - items.begin());
  };
  return has_numbers ? find(all.values, axis.values[i]) : find(all.labels, axis.labels[i]);
}

JoinedAxis joined_axis(const std::vector<Input>& inputs, const std::string& name) {
  const Input& first = first_with(inputs, name);
  JoinedAxis result;
  store::AxisValues& all = result.axis;
  all = *find_axis(first.reader.axes(), name);
  const bool has_numbers = has_numbers_in_all(inputs, name);
  std::vector<const store::AxisValues*> axes;
  bool lacking = false;
  for (const Input& input : inputs) {
    const store::AxisValues* axis = find_axis(input.reader.axes(), name);
    lacking = lacking || axis == nullptr;
    if (axis != nullptr) {
      check_units(first, input, name);
      axes.push_back(axis);
    }
  }
  all.labels.clear();
  all.values.clear();
  if (has_numbers) {
    join_quantities(axes, all);
  } else {
    for (const store::AxisValues* axis : axes) {
      add_in_order(all.labels, axis->labels);
    }
  }
  if (lacking) {
    all.labels.emplace_back(store::no_axis_value);
    if (has_numbers) {
      all.values.push_back(nothing);
    }
  }
  for (std::size_t i = 0; !has_numbers && i < all.labels.size(); ++i) {
    all.values.push_back(static_cast<double>(i));  // as specs number names
  }
  for (const Input& input : inputs) {
    const store::AxisValues* axis = find_axis(input.reader.axes(), name);
    std::vector<std::int32_t> places;
    for (std::size_t i = 0; axis != nullptr && i < value_count(*axis); ++i) {
      places.push_back(place_of(all, *axis, has_numbers, i));
    }
    if (axis == nullptr) {
      places.push_back(static_cast<std::int32_t>(all.labels.size()) - 1);
    }
    result.places.push_back(std::move(places));
  }
  return result;
}

std::string together_text(const Input& input) {
  return input.reader.root_attribute("together");
}

// Whether values at the same place of its axes are still at the same place.
bool are_still_together(const std::vector<std::string>& group,
                        const std::vector<JoinedAxis>& axes) {
  const JoinedAxis* first = nullptr;
  for (const std::string& name : group) {
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&](const JoinedAxis& one) { return one.axis.name == name; });
    if (axis == axes.end() || (first != nullptr && axis->places != first->places)) {
      return false;
    }
    first = &*axis;
  }
  return true;
}

}  // namespace

void add_in_order(std::vector<std::string>& all, const std::vector<std::string>& more) {
  const auto place_in = [&](const std::string& item) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), item) - all.begin());
  };
  std::size_t next = all.size();
  for (const std::string& item : more) {
    if (const std::size_t place = place_in(item); place < all.size()) {
      next = place;
      break;
    }
  }
  for (const std::string& item : more) {
    const std::size_t place = place_in(item);
    if (place < all.size()) {
      next = place + 1;
      continue;
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(next), item);
    ++next;
  }
}

std::vector<JoinedAxis> joined_axes(const std::vector<Input>& inputs) {
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    std::vector<std::string> own;
    for (const store::AxisValues& axis : input.reader.axes()) {
      own.push_back(axis.name);
    }
    add_in_order(names, own);
  }
  JoinedAxis studies{study_axis_of(inputs), {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    studies.places.push_back({static_cast<std::int32_t>(i)});
  }
  std::vector<JoinedAxis> axes = {std::move(studies)};
  for (const std::string& name : names) {
    axes.push_back(joined_axis(inputs, name));
  }
  return axes;
}

std::string joined_together(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes) {
  const std::string text = together_text(inputs.front());
  const bool same = std::all_of(inputs.begin(), inputs.end(),
                                [&](const Input& input) { return together_text(input) == text; });
  space::AxisGroups groups = space::groups_of_json(same ? text : "");
  std::erase_if(groups, [&](const auto& names) { return !are_still_together(names, axes); });
  return groups.empty() ? "" : space::groups_json(groups);
}

}  // namespace scalesweep::analysis
