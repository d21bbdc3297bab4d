#include "cli/recommend/answer/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/file/columns.hpp"
#include "analysis/query/query.hpp"
#include "analysis/selection/read_layout.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "analysis/verdict/proposal/proposal.hpp"
#include "analysis/words/words.hpp"
#include "cli/options/savings.hpp"
#include "estimator/parts/capacity.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* memory_column = "memory_total";
constexpr const char* devices_axis = "accelerators";
constexpr const char* batch_axis = "global_batch";

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

// The first `most` of each question.
analysis::QueryOptions best_of(const analysis::Verdicts& verdicts, const std::string& where,
                               std::size_t most) {
  analysis::QueryOptions options;
  options.rows.where = where;
  options.best = analysis::SortKey{verdicts.objective.column,
                                   verdicts.objective.direction == analysis::Direction::maximize};
  options.top = static_cast<std::int64_t>(most);
  options.per = verdicts.per;
  return options;
}

// Columns that tell questions apart: the batch of a step is none, since nobody asks for several.
std::vector<std::string> questions(const analysis::StudyLayout& layout, bool per_count) {
  std::vector<std::string> per = analysis::questions_of(layout);
  std::erase(per, batch_axis);
  if (per_count) {
    per.emplace_back(devices_axis);
  }
  return per;
}

// How many devices what is proposed has; 0: nothing is.
std::int64_t devices_of(const analysis::Verdicts& verdicts, const analysis::StudyLayout& layout,
                        const analysis::Verdict& verdict) {
  const auto place = std::find(verdicts.chosen.begin(), verdicts.chosen.end(), devices_axis);
  if (!verdict.is_answered() || place == verdicts.chosen.end()) {
    return 0;
  }
  const store::AxisValues& axis = layout.axes[*layout.axis(devices_axis)];
  const auto value =
      verdict.taken.choice[static_cast<std::size_t>(place - verdicts.chosen.begin())];
  return std::stoll(axis.labels[static_cast<std::size_t>(value)]);
}

std::string idle_words(std::int64_t used, std::int64_t asked) {
  return fmt::format(
      "{} do more than all {}: layouts that divide {} are worse or do not fit; {} {} "
      "idle, and no figure counts {}",
      used, asked, asked, asked - used, asked - used == 1 ? "is" : "are",
      asked - used == 1 ? "it" : "them");
}

// Whether what is proposed has all devices that there are, though fewer of them were tried.
bool all_do_most(const analysis::Verdicts& verdicts, const analysis::StudyLayout& layout,
                 const AnswersOf& of) {
  const auto axis = layout.axis(devices_axis);
  return of.asked_devices && axis && layout.axes[*axis].labels.size() > 1 &&
         std::all_of(verdicts.answers.begin(), verdicts.answers.end(),
                     [&](const analysis::Verdict& verdict) {
                       const std::int64_t used = devices_of(verdicts, layout, verdict);
                       return used == 0 || used == *of.asked_devices;
                     });
}

// What is said of the proposed point beside what a study says of it.
void say_devices(const analysis::StudyLayout& layout, const AnswersOf& of,
                 analysis::Verdicts& verdicts) {
  for (analysis::Verdict& verdict : verdicts.answers) {
    // The question has them, or the budget: nobody tried them as a range.
    std::erase_if(verdict.cautions, [](const std::string& caution) {
      return caution.starts_with(analysis::words(devices_axis) + " ") ||
             caution.starts_with(analysis::words(batch_axis) + " ");
    });
    const std::int64_t used = devices_of(verdicts, layout, verdict);
    if (of.asked_devices && used > 0 && used < *of.asked_devices) {
      verdict.cautions.insert(verdict.cautions.begin(), idle_words(used, *of.asked_devices));
    }
  }
}

}  // namespace

Answers find_answers(const store::StudyReader& reader, const study::Study& study,
                     const AnswersOf& of) {
  const analysis::StudyLayout layout = analysis::read_layout(reader, {});
  const std::vector<std::string> per = questions(layout, of.per_count);
  std::string where;
  Answers result;
  result.verdicts = analysis::find_verdicts(reader, layout, per, where);
  if (all_do_most(result.verdicts, layout, of)) {  // then fewer are not told of
    where = fmt::format("{} == {}", devices_axis, *of.asked_devices);
    result.verdicts = analysis::find_verdicts(reader, layout, per, where);
  }
  analysis::count_alike(reader, layout, where, result.verdicts);
  analysis::add_savings(savings_in(study), result.verdicts);
  say_devices(layout, of, result.verdicts);
  const LayoutReader layouts(
      reader, study, layout,
      {result.verdicts.per, result.verdicts.chosen, result.verdicts.objective.column});
  const auto best = layouts.read(best_of(result.verdicts, where, of.most * chunks_tried));
  bool is_any_answered = false;
  for (const analysis::Verdict& verdict : result.verdicts.answers) {
    Answer answer{verdict, {}, {}};
    if (verdict.is_answered()) {
      is_any_answered = true;
      answer.layouts = shown_layouts(result.verdicts, layouts.one(verdict.taken.id),
                                     best.at(verdict.key), of.most);
    }
    result.answers.push_back(std::move(answer));
  }
  if (!is_any_answered) {
    result.shortage = shortage_of(reader, study, layout);
  }
  return result;
}

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
