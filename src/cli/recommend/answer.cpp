#include "cli/recommend/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/file/columns.hpp"
#include "analysis/query/query.hpp"
#include "analysis/selection/read_layout.hpp"
#include "analysis/verdict/figures.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"
#include "estimator/parts/capacity.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* memory_column = "memory_total";
constexpr const char* first_token_column = "time_to_first_token";
constexpr const char* goodput_column = "goodput";
constexpr const char* device_hours_column = "run_device_hours";
constexpr const char* run_energy_column = "run_energy";
constexpr const char* devices_axis = "accelerators";

// Of a point that has a system.
const technology::Device* device_of(const study::Point& point) {
  return point.system.system ? &point.system.system->device : nullptr;
}

// Numbers that are labels in the file are numbers to programs.
Json label_json(const std::string& label) {
  const bool is_number = !label.empty() && std::all_of(label.begin(), label.end(),
                                                       [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? Json(std::stoll(label)) : Json(label);
}

// So many of each are found that `most` differ in more than how long chunks of prompts are.
constexpr std::size_t chunks_tried = 3;

// Whether two differ in the length of chunks alone.
bool is_alike(const analysis::Verdicts& verdicts, const Layout& a, const Layout& b) {
  for (std::size_t i = 0; i < verdicts.chosen.size(); ++i) {
    if (verdicts.chosen[i] != "prefill_chunk" && a.choice[i] != b.choice[i]) {
      return false;
    }
  }
  return a.words == b.words;
}

// The proposed one first, then the others, of those alike the best; `most` at most.
std::vector<Layout> shown_layouts(const analysis::Verdicts& verdicts, Layout taken,
                                  const std::vector<Layout>& best, std::size_t most) {
  std::vector<Layout> shown = {std::move(taken)};
  for (const Layout& layout : best) {
    const bool is_new = std::none_of(shown.begin(), shown.end(), [&](const Layout& one) {
      return is_alike(verdicts, one, layout);
    });
    if (is_new && shown.size() < most) {
      shown.push_back(layout);
    }
  }
  return shown;
}

class LayoutReader {
 public:
  LayoutReader(const store::StudyReader& reader, const study::Study& study,
               const analysis::StudyLayout& layout, const analysis::Verdicts& verdicts)
      : reader_(reader), study_(study), layout_(layout), verdicts_(verdicts) {
    using analysis::column_with;
    columns_ = {std::string(analysis::point_id_column)};
    add(verdicts.per);
    add(verdicts.chosen);
    add(layout.strategy);
    add(analysis::figure_columns(layout));
    add({verdicts.objective.column});
    if (const store::Column* const bar = column_with(layout.schema, analysis::role::uncertainty)) {
      uncertainty_ = bar->name;
      add({uncertainty_});
    }
    for (const char* name : {memory_column, first_token_column, goodput_column, device_hours_column,
                             run_energy_column}) {
      if (layout.column(name)) {
        add({name});
      }
    }
  }

  // The best of each question; key -> layouts.
  std::map<std::vector<std::int64_t>, std::vector<Layout>> best(std::size_t most) const {
    analysis::QueryOptions options;
    options.best = analysis::SortKey{
        verdicts_.objective.column, verdicts_.objective.direction == analysis::Direction::maximize};
    options.top = static_cast<std::int64_t>(most);
    options.per = verdicts_.per;
    return read(options);
  }

  // The layout of one point.
  Layout one(std::int64_t id) const {
    analysis::QueryOptions options;
    options.rows.ids = {id};
    const auto found = read(options);
    return found.begin()->second.front();
  }

 private:
  void add(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
        columns_.push_back(name);
      }
    }
  }

  std::map<std::vector<std::int64_t>, std::vector<Layout>> read(
      analysis::QueryOptions options) const {
    options.select = columns_;
    options.rows.reading = layout_.reading;
    const analysis::QueryPlan plan = plan_query(reader_, options);
    std::map<std::vector<std::int64_t>, std::vector<Layout>> result;
    run_query(reader_, plan, [&](const store::Table& rows) {
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        result[key_of(plan, rows, row)].push_back(layout_of(plan, rows, row));
      }
    });
    return result;
  }

  static double number(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                       const std::string& name) {
    return rows.number(analysis::position_in(plan.schema, name), row);
  }

  std::vector<std::int64_t> key_of(const analysis::QueryPlan& plan, const store::Table& rows,
                                   std::size_t row) const {
    std::vector<std::int64_t> key;
    for (const std::string& name : verdicts_.per) {
      const auto stored = static_cast<std::int64_t>(number(plan, rows, row, name));
      const auto axis = layout_.axis(name);
      key.push_back(axis ? layout_.number_of(*axis, stored) : stored);
    }
    return key;
  }

  std::string label(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                    const std::string& name) const {
    const auto index = static_cast<std::size_t>(number(plan, rows, row, name));
    const store::AxisValues* const axis = store::find_axis(reader_.axes(), name);
    return axis != nullptr && index < axis->labels.size() ? axis->labels[index] : "";
  }

  // Without the axes that tell questions apart the fields of a layout would not say which point it
  // is.
  bool varies(const std::string& axis) const {
    const store::AxisValues* const found = store::find_axis(reader_.axes(), axis);
    return found != nullptr && found->labels.size() > 1;
  }

  void add_strategy(const analysis::QueryPlan& plan, const store::Table& rows, std::size_t row,
                    Layout& layout) const {
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

  Layout layout_of(const analysis::QueryPlan& plan, const store::Table& rows,
                   std::size_t row) const {
    Layout layout;
    layout.id =
        static_cast<std::int64_t>(number(plan, rows, row, std::string(analysis::point_id_column)));
    for (const std::string& name : verdicts_.per) {
      if (varies(name)) {
        layout.fields.emplace_back(name, label_json(label(plan, rows, row, name)));
      }
    }
    for (const std::string& name : verdicts_.chosen) {
      const std::string text = label(plan, rows, row, name);
      layout.choice.push_back(text);
      layout.fields.emplace_back(name, label_json(text));
    }
    add_strategy(plan, rows, row, layout);
    layout.value = number(plan, rows, row, verdicts_.objective.column);
    layout.figures = analysis::figures_of(layout_, rows, plan.schema, row);
    if (!uncertainty_.empty()) {
      layout.uncertainty = number(plan, rows, row, uncertainty_);
    }
    const auto set = [&](double& value, const char* name) {
      if (layout_.column(name)) {
        value = number(plan, rows, row, name);
      }
    };
    set(layout.first_token_s, first_token_column);
    set(layout.memory_bytes, memory_column);
    set(layout.run_goodput, goodput_column);
    set(layout.run_device_hours, device_hours_column);
    set(layout.run_energy_j, run_energy_column);
    const study::Point point = study_.point_at(layout.id);
    layout.devices = point.accelerators;
    if (const technology::Device* const device = device_of(point)) {
      layout.capacity_bytes = device->dram.capacity.si();
    }
    return layout;
  }

  const store::StudyReader& reader_;
  const study::Study& study_;
  const analysis::StudyLayout& layout_;
  const analysis::Verdicts& verdicts_;
  std::vector<std::string> columns_;
  std::string uncertainty_;
};

// Of layouts that do not fit the one that takes least of its device's memory.
std::string shortage_of(const store::StudyReader& reader, const study::Study& study,
                        const analysis::StudyLayout& layout) {
  if (!layout.column(memory_column)) {
    return "";
  }
  analysis::QueryOptions options;
  options.rows.where = fmt::format("status == '{}'", analysis::unfit_status);
  options.best = analysis::SortKey{memory_column, false};
  options.select = {std::string(analysis::point_id_column), memory_column};
  const analysis::QueryPlan plan = plan_query(reader, options);
  std::string sentence;
  run_query(reader, plan, [&](const store::Table& rows) {
    if (rows.rows() == 0) {
      return;
    }
    const study::Point point = study.point_at(static_cast<PointId>(rows.number(0, 0)));
    const technology::Device* const device = device_of(point);
    const double bytes = rows.number(1, 0);
    if (device != nullptr && bytes > 0.0) {
      const double usable = estimator::usable_memory_bytes(*device);
      sentence = fmt::format(
          "the layout that takes least needs {:.4g} GB of each {}, {:.2g} x the {:.4g} GB that "
          "tensors can have",
          1e-9 * bytes, device->name, bytes / usable, 1e-9 * usable);
    }
  });
  return sentence;
}

}  // namespace

double figure(const Layout& layout, analysis::FigureKind kind) {
  const auto found = std::find_if(layout.figures.begin(), layout.figures.end(),
                                  [&](const analysis::Figure& one) { return one.kind == kind; });
  return found == layout.figures.end() ? analysis::nothing_known : found->value;
}

Answers find_answers(const store::StudyReader& reader, const study::Study& study, std::size_t most,
                     bool per_count) {
  const analysis::StudyLayout layout = analysis::read_layout(reader, {});
  std::vector<std::string> per = analysis::questions_of(layout);
  if (per_count) {
    per.emplace_back(devices_axis);
  }
  Answers result;
  result.verdicts = analysis::find_verdicts(reader, layout, per, "");
  const LayoutReader layouts(reader, study, layout, result.verdicts);
  const auto best = layouts.best(most * chunks_tried);
  bool is_any_answered = false;
  for (const analysis::Verdict& verdict : result.verdicts.answers) {
    Answer answer{verdict, {}, {}};
    if (verdict.is_answered()) {
      is_any_answered = true;
      answer.layouts =
          shown_layouts(result.verdicts, layouts.one(verdict.taken.id), best.at(verdict.key), most);
    }
    result.answers.push_back(std::move(answer));
  }
  if (!is_any_answered) {
    result.shortage = shortage_of(reader, study, layout);
  }
  return result;
}

std::int64_t fewest_devices(const store::StudyReader& reader) {
  const analysis::StudyLayout layout = analysis::read_layout(reader, {});
  const analysis::Verdicts verdicts = analysis::find_verdicts(reader, layout, {devices_axis}, "");
  const store::AxisValues& axis = layout.axes[*layout.axis(devices_axis)];
  std::int64_t fewest = 0;
  for (const analysis::Verdict& verdict : verdicts.answers) {
    if (verdict.is_answered()) {
      const std::int64_t count =
          std::stoll(axis.labels[static_cast<std::size_t>(verdict.key.front())]);
      fewest = fewest == 0 ? count : std::min(fewest, count);
    }
  }
  return fewest;
}

}  // namespace scalesweep::cli
