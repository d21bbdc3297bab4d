#include "analysis/selection/selected_values.hpp"

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "analysis/selection/selection.hpp"
#include "analysis/selection/slice.hpp"
#include "core/host/parallel.hpp"
#include "store/read/column_blocks.hpp"

namespace scalesweep::analysis {
namespace {

// By axis and value: 1 where a row that takes part has it.
using UsedValues = std::vector<std::vector<std::uint8_t>>;

UsedValues unused(const StudyLayout& layout, const std::vector<std::size_t>& axes) {
  UsedValues used;
  for (const std::size_t axis : axes) {
    used.emplace_back(layout.axes[axis].labels.size(), std::uint8_t{0});
  }
  return used;
}

// Columns that the condition reads, then axes that it does not: these only where it holds.
std::vector<std::string> columns_of(const StudyLayout& layout, const std::vector<std::size_t>& axes,
                                    const Selection& selection) {
  std::vector<std::string> names = selection.columns();
  for (const std::size_t axis : axes) {
    if (std::find(names.begin(), names.end(), layout.axes[axis].name) == names.end()) {
      names.push_back(layout.axes[axis].name);
    }
  }
  return names;
}

class UsedValuesSearch {
 public:
  UsedValuesSearch(const StudyLayout& layout, const store::StudyReader& reader,
                   const std::vector<std::size_t>& axes, const Selection& selection)
      : layout_(layout),
        axes_(axes),
        selection_(selection),
        blocks_(reader.blocks(columns_of(layout, axes, selection))) {
    for (std::size_t i = 0; i < blocks_.schema().size(); ++i) {
      const bool first = i < selection.columns().size();
      (first ? first_ : second_).push_back(i);
      (first ? first_schema_ : second_schema_).push_back(blocks_.schema()[i]);
    }
  }

  // Empty where no row takes part.
  UsedValues run() const {
    std::vector<UsedValues> parts(thread_count(layout_.reading.threads), unused(layout_, axes_));
    Pass pass(layout_.reading, "choosing rows", blocks_.size());
    for_each_parallel(parts, blocks_.size(), [&](UsedValues& used, std::size_t block) {
      add_block(used, block);
      pass.step();
    });
    UsedValues& all = parts.front();
    bool any = false;
    for (const UsedValues& part : parts) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t value = 0; value < all[i].size(); ++value) {
          all[i][value] |= part[i][value];
          any = any || all[i][value] != 0;
        }
      }
    }
    return any ? all : UsedValues{};
  }

 private:
  void add_block(UsedValues& used, std::size_t block) const {
    const store::Table first = blocks_.read(block, first_);
    const std::vector<std::uint8_t> holds = selection_.of(first, first_schema_);
    if (std::find(holds.begin(), holds.end(), 1) == holds.end()) {
      return;
    }
    const store::Table second = blocks_.read(block, second_);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool in_first = find_column(first_schema_, layout_.axes[axes_[i]].name) != nullptr;
      const std::vector<std::int64_t> indices = axis_indices(
          layout_, in_first ? first : second, in_first ? first_schema_ : second_schema_, axes_[i]);
      for (std::size_t row = 0; row < indices.size(); ++row) {
        used[i][static_cast<std::size_t>(indices[row])] |= holds[row];
      }
    }
  }

  const StudyLayout& layout_;
  const std::vector<std::size_t>& axes_;
  const Selection& selection_;
  store::ColumnBlocks blocks_;
  std::vector<std::size_t> first_, second_;  // places in the blocks
  store::Schema first_schema_, second_schema_;
};

}  // namespace

void keep_selected_values(StudyLayout& layout, const store::StudyReader& reader,
                          const std::string& where) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < layout.axes.size(); ++axis) {
    if (layout.axes[axis].labels.size() > 1) {
      axes.push_back(axis);
    }
  }
  const Selection selection(reader, where);
  const UsedValues used = UsedValuesSearch(layout, reader, axes, selection).run();
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
