#include <algorithm>

#include "analysis/layout.hpp"
#include "analysis/selection.hpp"
#include "analysis/slice.hpp"

namespace scalesweep::analysis {
namespace {

// By axis and value: 1 where a row that takes part has it. Empty where none takes part.
std::vector<std::vector<std::uint8_t>> used_values(const StudyLayout& layout,
                                                   const store::StudyReader& reader,
                                                   const std::vector<std::size_t>& axes,
                                                   const Selection& selection) {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint8_t>> used;
  for (const std::size_t axis : axes) {
    names.push_back(layout.axes[axis].name);
    used.emplace_back(layout.axes[axis].labels.size(), std::uint8_t{0});
  }
  const store::Schema schema = schema_of(layout, names);
  bool any = false;
  for (std::int64_t first = 0; first < reader.rows(); first += slice_rows) {
    const std::int64_t last = std::min(first + slice_rows, reader.rows());
    const std::vector<std::uint8_t> holds = selection.of(first, last);
    if (std::find(holds.begin(), holds.end(), 1) == holds.end()) {
      continue;
    }
    any = true;
    const store::Table table = reader.read(names, first, last);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::vector<std::int64_t> indices = axis_indices(layout, table, schema, axes[i]);
      for (std::size_t row = 0; row < indices.size(); ++row) {
        used[i][static_cast<std::size_t>(indices[row])] |= holds[row];
      }
    }
  }
  return any ? used : std::vector<std::vector<std::uint8_t>>{};
}

}  // namespace

void keep_selected_values(StudyLayout& layout, const store::StudyReader& reader,
                          const std::string& where) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < layout.axes.size(); ++axis) {
    if (layout.axes[axis].labels.size() > 1) {
      axes.push_back(axis);
    }
  }
  const auto used = used_values(layout, reader, axes, Selection(reader, where));
  layout.renumbered.resize(layout.axes.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    store::AxisValues& all = layout.axes[axes[i]];
    store::AxisValues kept = all;
    kept.labels.clear();
    kept.values.clear();
    for (std::size_t value = 0; value < used[i].size(); ++value) {
      const bool is_kept = used[i][value] != 0;
      layout.renumbered[axes[i]].push_back(is_kept ? static_cast<std::int32_t>(kept.labels.size())
                                                   : -1);
      if (is_kept) {
        kept.labels.push_back(all.labels[value]);
        if (!all.values.empty()) {
          kept.values.push_back(all.values[value]);
        }
      }
    }
    all = kept;
  }
}

}  // namespace scalesweep::analysis
