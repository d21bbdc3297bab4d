#include "cli/recommend/answer/layout_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/file/columns.hpp"
#include "analysis/verdict/attribution.hpp"
#include "analysis/verdict/figures.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

// Columns of which some studies have some, and where their values go.
struct OptionalColumn {
  const char* name;
  double Layout::*value;
};
constexpr std::array<OptionalColumn, 9> optional_columns = {
    {{"memory_total", &Layout::memory_bytes},
     {"time_to_first_token", &Layout::first_token_s},
     {"goodput", &Layout::run_goodput},
     {"run_device_hours", &Layout::run_device_hours},
     {"run_energy", &Layout::run_energy_j},
     {"reached_time", &Layout::run_reached_s},
     {"reached_time_low", &Layout::run_reached_low_s},
     {"reached_time_high", &Layout::run_reached_high_s},
     {"reported_losses", &Layout::run_reported}}};

// Numbers that are labels in the file are numbers to programs.
Json label_json(const std::string& label) {
  const bool is_number = !label.empty() && std::all_of(label.begin(), label.end(),
                                                       [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? Json(std::stoll(label)) : Json(label);
}

double number(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
              const std::string& name) {
  return rows.number(analysis::position_in(plan.schema, name), row);
}

}  // namespace

double figure(const Layout& layout, analysis::FigureKind kind) {
  const auto found = std::find_if(layout.figures.begin(), layout.figures.end(),
                                  [&](const analysis::Figure& one) { return one.kind == kind; });
  return found == layout.figures.end() ? analysis::nothing_known : found->value;
}

const technology::Device* device_of(const study::Point& point) {
  return point.system.system ? &point.system.system->device : nullptr;
}

LayoutReader::LayoutReader(const store::StudyReader& reader, const study::Study& study,
                           const analysis::StudyLayout& layout, ToldOf told)
    : reader_(reader), study_(study), layout_(layout), told_(std::move(told)) {
  columns_ = {std::string(analysis::point_id_column)};
  add(told_.per);
  add(told_.chosen);
  add(layout.strategy);
  add(layout.charges);
  add(analysis::figure_columns(layout));
  add({told_.objective});
  if (const store::Column* const bar =
          analysis::column_with(layout.schema, analysis::role::uncertainty)) {
    uncertainty_ = bar->name;
    add({uncertainty_});
  }
  for (const OptionalColumn& column : optional_columns) {
    if (layout.column(column.name)) {
      add({column.name});
    }
  }
}

std::map<LayoutKey, std::vector<Layout>> LayoutReader::read(analysis::QueryOptions options) const {
  options.select = columns_;
  options.rows.reading = layout_.reading;
  const analysis::QueryPlan plan = plan_query(reader_, options);
  std::map<LayoutKey, std::vector<Layout>> result;
  run_query(reader_, plan, [&](const store::Table& rows) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      result[key_of(plan, rows, row)].push_back(layout_of(plan, rows, row));
    }
  });
  return result;
}

Layout LayoutReader::one(std::int64_t id) const {
  analysis::QueryOptions options;
  options.rows.ids = {id};
  const auto found = read(options);
  return found.begin()->second.front();
}

void LayoutReader::add(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
      columns_.push_back(name);
    }
  }
}

LayoutKey LayoutReader::key_of(const analysis::QueryPlan& plan, const store::Table& rows,
                               std::size_t row) const {
  LayoutKey key;
  for (const std::string& name : told_.per) {
    const auto stored = static_cast<std::int64_t>(number(plan, rows, row, name));
    const auto axis = layout_.axis(name);
    key.push_back(axis ? layout_.number_of(*axis, stored) : stored);
  }
  return key;
}

std::string LayoutReader::label(const analysis::QueryPlan& plan, const store::Table& rows,
                                std::size_t row, const std::string& name) const {
  const auto index = static_cast<std::size_t>(number(plan, rows, row, name));
  const store::AxisValues* const axis = store::find_axis(reader_.axes(), name);
  return axis != nullptr && index < axis->labels.size() ? axis->labels[index] : "";
}

// Without the axes that tell questions apart the fields of a layout would not say which point it
// is.
bool LayoutReader::varies(const std::string& axis) const {
  const store::AxisValues* const found = store::find_axis(reader_.axes(), axis);
  return found != nullptr && found->labels.size() > 1;
}

void LayoutReader::add_strategy(const analysis::QueryPlan& plan, const store::Table& rows,
                                std::size_t row, Layout& layout) const {
  std::vector<std::string> texts;
  for (const std::string& name : layout_.strategy) {
    const store::Column& column = plan.schema[analysis::position_in(plan.schema, name)];
    const double value = number(plan, rows, row, name);
    const auto index = static_cast<std::size_t>(value);
    const bool is_named = index < column.labels.size();
    const std::string text = is_named ? column.labels[index] : fmt::format("{:.0f}", value);
    const std::string word = analysis::label_word(name, column, value, text);
    if (!word.empty()) {
      texts.push_back(word);
    }
    const bool is_truth =
        analysis::meaning_of(column, reader_.axes()).meaning == analysis::Meaning::truth;
    layout.fields.emplace_back(name, is_truth   ? Json(value != 0.0)
                                     : is_named ? label_json(text)
                                                : Json(static_cast<std::int64_t>(value)));
  }
  layout.words = join(texts, " ");
}

void LayoutReader::add_limit(const analysis::QueryPlan& plan, const store::Table& rows,
                             std::size_t row, Layout& layout) const {
  std::vector<double> charges_s;
  for (const std::string& name : layout_.charges) {
    charges_s.push_back(number(plan, rows, row, name));
  }
  const analysis::Resources resources = analysis::make_resources(layout_.resources);
  const analysis::Attribution limits = analysis::attribute(resources, charges_s);
  layout.limit = resources.groups[limits.group];
  layout.limit_share = limits.group_shares[limits.group];
}

Layout LayoutReader::layout_of(const analysis::QueryPlan& plan, const store::Table& rows,
                               std::size_t row) const {
  Layout layout;
  layout.id =
      static_cast<std::int64_t>(number(plan, rows, row, std::string(analysis::point_id_column)));
  for (const std::string& name : told_.per) {
    if (varies(name)) {
      layout.fields.emplace_back(name, label_json(label(plan, rows, row, name)));
    }
  }
  for (const std::string& name : told_.chosen) {
    const std::string text = label(plan, rows, row, name);
    layout.choice.push_back(text);
    layout.fields.emplace_back(name, label_json(text));
  }
  add_strategy(plan, rows, row, layout);
  add_limit(plan, rows, row, layout);
  layout.value = number(plan, rows, row, told_.objective);
  layout.figures = analysis::figures_of(layout_, rows, plan.schema, row);
  if (!uncertainty_.empty()) {
    layout.uncertainty = number(plan, rows, row, uncertainty_);
  }
  for (const OptionalColumn& column : optional_columns) {
    if (layout_.column(column.name)) {
      layout.*column.value = number(plan, rows, row, column.name);
    }
  }
  const study::Point point = study_.point_at(layout.id);
  layout.devices = point.accelerators;
  if (const technology::Device* const device = device_of(point)) {
    layout.capacity_bytes = device->dram.capacity.si();
  }
  return layout;
}

}  // namespace scalesweep::cli
