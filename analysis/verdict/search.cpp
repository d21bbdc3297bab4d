#include "analysis/verdict/search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/selection/rows.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/verdict/standing.hpp"
#include "core/failure.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double bar_step = 0.001;

class Searcher {
 public:
  Searcher(const StudyLayout& layout, const VerdictRequest& request)
      : layout_(layout), request_(request) {
    std::set<std::string> names = {std::string(point_id_column), std::string(status_column),
                                   request.objective.column};
    names.insert(request.per.begin(), request.per.end());
    names.insert(request.compared.begin(), request.compared.end());
    for (const std::string& status : layout.statuses) {
      nearest_.push_back(nearest_column(layout, status));
      if (!nearest_.back().empty()) {
        names.insert(nearest_.back());
      }
    }
    if (const store::Column* const capacity = column_with(layout.schema, role::capacity)) {
      capacity_ = capacity->name;
      names.insert(capacity_);
    }
    if (!request.error_bar.empty()) {
      names.insert(request.error_bar);
    }
    columns_.assign(names.begin(), names.end());
    schema_ = schema_of(layout.schema, columns_);
  }

  const std::vector<std::string>& columns() const { return columns_; }

  void add(const RowSlice& slice) {
    const store::Table& table = slice.table;
    const auto keys = indices(table, request_.per);
    const auto choices = indices(table, request_.compared);
    const auto ids = integers(table, schema_, std::string(point_id_column));
    const auto statuses = integers(table, schema_, std::string(status_column));
    const auto values = quantities(layout_, table, schema_, request_.objective.column);
    const std::vector<std::vector<double>> distances = distances_of(table);
    const auto bars = request_.error_bar.empty() ? std::vector<double>{}
                                                 : numbers(table, schema_, request_.error_bar);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      go_to(keys, choices, row);
      const auto status = static_cast<std::size_t>(statuses[row]);
      if (status >= layout_.statuses.size()) {
        refuse("the study is damaged: a status has no name");
      }
      ++question_->statuses[status];
      if (status == 0 && !std::isnan(values[row])) {
        const Candidate point = {values[row], ids[row], slice.rows[row]};
        add(point);
        if (!bars.empty()) {
          add_known(point, bars[row]);
        }
      } else if (!distances[status].empty()) {
        keep_nearest(status, distances[status][row]);
      }
    }
  }

  std::map<QuestionKey, FoundQuestion> found() {
    for (auto& [key, question] : questions_) {
      tidy(question);
      std::erase_if(question.near, [&](const Near& one) { return one.choice != question.choice; });
    }
    return std::move(questions_);
  }

 private:
  std::vector<std::vector<std::int64_t>> indices(const store::Table& table,
                                                 const std::vector<std::string>& names) const {
    std::vector<std::vector<std::int64_t>> result;
    for (const std::string& name : names) {
      const auto axis = layout_.axis(name);
      result.push_back(axis ? axis_indices(layout_, table, schema_, *axis)
                            : integers(table, schema_, name));
    }
    return result;
  }

  std::vector<std::vector<double>> distances_of(const store::Table& table) const {
    std::vector<std::vector<double>> result;
    for (const std::string& name : nearest_) {
      result.push_back(name.empty() ? std::vector<double>{} : numbers(table, schema_, name));
      if (!name.empty() && is_of_capacity(layout_, name)) {
        const auto capacity = numbers(table, schema_, capacity_);
        for (std::size_t row = 0; row < capacity.size(); ++row) {
          result.back()[row] /= capacity[row];
        }
      }
    }
    return result;
  }

  // Neighbouring rows mostly differ in their strategies alone, and so are of one choice.
  void go_to(const std::vector<std::vector<std::int64_t>>& keys,
             const std::vector<std::vector<std::int64_t>>& choices, std::size_t row) {
    bool as_before = question_ != nullptr;
    const auto take = [&](auto& into, const auto& from) {
      into.resize(from.size());
      for (std::size_t i = 0; i < from.size(); ++i) {
        const auto value =
            static_cast<typename std::remove_reference_t<decltype(into)>::value_type>(from[i][row]);
        as_before = as_before && into[i] == value;
        into[i] = value;
      }
    };
    take(key_, keys);
    take(choice_, choices);
    if (as_before) {
      return;
    }
    question_ = &questions_[key_];
    question_->statuses.resize(layout_.statuses.size(), 0);
    question_->nearest.resize(layout_.statuses.size(), nothing_known);
    best_ = nullptr;
    known_ = nullptr;
  }

  bool is_before(const Candidate& a, const Candidate& b) const {
    return analysis::is_before(request_.objective, a, b);
  }

  bool is_near(const Candidate& point, const Candidate& best) const {
    return gap_of(point.value, best.value, request_.objective.direction) <= tie;
  }

  const Candidate& best_of(const FoundQuestion& question) const {
    return question.best.at(*question.choice);
  }

  void add(const Candidate& point) {
    if (best_ == nullptr) {
      best_ = &*question_->best.try_emplace(choice_).first;
    }
    FoundQuestion& question = *question_;
    Candidate& best = best_->second;
    if (best.row < 0 || is_before(point, best)) {
      best = point;
    }
    if (question.choice == nullptr || is_before(point, best_of(question))) {
      question.choice = &best_->first;
    }
    if (is_near(point, best_of(question))) {
      question.near.push_back({point, &best_->first});
      if (question.near.size() >= std::max(question.tidy_at, 4 * most_near)) {
        tidy(question);
        question.tidy_at = 2 * question.near.size();
      }
    }
  }

  // After `add`.
  void add_known(const Candidate& point, double bar) {
    if (known_ == nullptr) {
      known_ = &question_->known[choice_];
    }
    const double rounded = std::round(bar / bar_step) * bar_step;
    const auto same = std::find_if(known_->begin(), known_->end(), [&](const KnownBest& one) {
      return one.error_bar == rounded || (std::isnan(one.error_bar) && std::isnan(rounded));
    });
    if (same == known_->end()) {
      known_->push_back({point, rounded});
    } else if (is_before(point, same->point)) {
      same->point = point;
    }
  }

  // Leaves the points that are near to what is the best now.
  void tidy(FoundQuestion& question) const {
    if (question.choice == nullptr) {
      return;
    }
    const Candidate& best = best_of(question);
    std::vector<Near>& near = question.near;
    std::erase_if(near, [&](const Near& one) { return !is_near(one.point, best); });
    std::sort(near.begin(), near.end(),
              [&](const Near& a, const Near& b) { return is_before(a.point, b.point); });
    std::map<const ChoiceKey*, std::size_t> kept;
    std::erase_if(near, [&](const Near& one) { return ++kept[one.choice] > most_near; });
  }

  void keep_nearest(std::size_t status, double distance) {
    double& nearest = question_->nearest[status];
    nearest = better_of(layout_.schema[*layout_.column(nearest_[status])], nearest, distance);
  }

  const StudyLayout& layout_;
  const VerdictRequest& request_;
  std::vector<std::string> nearest_;  // columns, by status
  std::string capacity_;              // column; "" where there is none
  std::vector<std::string> columns_;
  store::Schema schema_;
  std::map<QuestionKey, FoundQuestion> questions_;
  // Where the last row belongs.
  QuestionKey key_;
  ChoiceKey choice_;
  FoundQuestion* question_ = nullptr;
  std::pair<const ChoiceKey, Candidate>* best_ = nullptr;  // null: not looked up yet
  std::vector<KnownBest>* known_ = nullptr;                // likewise
};

}  // namespace

std::string nearest_column(const StudyLayout& layout, const std::string& status) {
  const store::Column* const column = column_with(layout.schema, role::nearest_of, status);
  return column == nullptr ? "" : column->name;
}

bool is_of_capacity(const StudyLayout& layout, const std::string& nearest) {
  const auto column = layout.column(nearest);
  return column && layout.schema[*column].units == "B" &&
         column_with(layout.schema, role::capacity) != nullptr;
}

std::map<QuestionKey, FoundQuestion> search_verdicts(const store::StudyReader& reader,
                                                     const StudyLayout& layout,
                                                     const VerdictRequest& request) {
  Searcher searcher(layout, request);
  const RowSelection rows(
      reader, {.where = request.where, .all_statuses = true, .ids = {}, .reading = layout.reading});
  rows.scan(searcher.columns(), [&](const RowSlice& slice) { searcher.add(slice); });
  return searcher.found();
}

}  // namespace scalesweep::analysis
