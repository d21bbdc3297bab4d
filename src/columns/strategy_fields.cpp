#include "columns/strategy_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "columns/roles.hpp"
#include "columns/table_values.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"

namespace scalesweep::columns {
namespace {

const FollowingField* find(const std::vector<FollowingField>& following, std::string_view field) {
  const auto found = std::find_if(following.begin(), following.end(),
                                  [&](const FollowingField& one) { return one.field == field; });
  return found == following.end() ? nullptr : &*found;
}

const std::vector<std::string> off_and_on = {"off", "on"};

using Attributes = std::map<std::string, std::string>;

std::string said(const Attributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

// Files from before columns had roles: what is said today of a field of this name.
Attributes attributes_of(std::string_view field, const store::Column& column) {
  const parallel::Field* const known = column.role.empty() ? parallel::find_field(field) : nullptr;
  return known == nullptr ? column.attributes : parallel::column_attributes(*known, {});
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ',')) {
    words.emplace_back(trim(word));
  }
  return words;
}

}  // namespace

bool is_strategy_column(const store::Column& column) {
  return column.role.empty() ? parallel::find_field(column.name) != nullptr
                             : has_role(column, role::strategy);
}

std::vector<std::string> strategy_columns(const store::Schema& schema) {
  std::vector<std::string> names;
  for (const store::Column& column : schema) {
    if (is_strategy_column(column)) {
      names.push_back(column.name);
    }
  }
  return names;
}

std::string label_word(const std::string& field, const store::Column& column, double value,
                       const std::string& text) {
  const Attributes attributes = attributes_of(field, column);
  const std::string short_name = said(attributes, "short_name");
  if (short_name.empty() || text == said(attributes, "default")) {
    return "";
  }
  if (column.labels.empty()) {
    return short_name + text;
  }
  const std::vector<std::string> words = listed(short_name);
  const bool has_word = value >= 0.0 && value < static_cast<double>(words.size());
  return has_word ? words[static_cast<std::size_t>(value)] : text;
}

std::string layout_label(const store::Schema& schema, const std::vector<std::string>& fields,
                         const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const store::Column& column = schema[position_in(schema, fields[i])];
    const auto index = static_cast<std::size_t>(values[i]);
    const std::string text =
        index < column.labels.size() ? column.labels[index] : fmt::format("{:.0f}", values[i]);
    const std::string word = label_word(fields[i], column, values[i], text);
    if (!word.empty()) {
      texts.push_back(word);
    }
  }
  return join(texts, " ");
}

std::string short_name_of(const store::Column& column) {
  const std::string text = said(attributes_of(column.name, column), "short_name");
  if (column.labels.empty()) {
    return text;
  }
  const std::vector<std::string> words = listed(text);
  if (words.size() != column.labels.size()) {
    return "";
  }
  if (column.labels == off_and_on) {
    return words.back();
  }
  const std::string& first = words.front();
  const std::string& value = column.labels.front();
  if (!first.ends_with(value)) {
    return "";
  }
  const std::string before = first.substr(0, first.size() - value.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != before + column.labels[i]) {
      return "";
    }
  }
  return before;
}

std::string default_of(const store::Column& column) {
  return said(attributes_of(column.name, column), "default");
}

std::vector<FollowingField> following_fields_of(const store::StudyReader& reader) {
  std::vector<FollowingField> following;
  for (const store::Column& column : reader.schema()) {
    const std::string axes = said(attributes_of(column.name, column), "follows");
    if (!axes.empty()) {
      following.push_back({column.name, listed(axes)});
    }
  }
  return following;
}

bool follows(const std::vector<FollowingField>& following, std::string_view field) {
  return find(following, field) != nullptr;
}

bool follows_from(const std::vector<FollowingField>& following, std::string_view field,
                  const std::vector<std::string>& axes) {
  const FollowingField* const found = find(following, field);
  return found != nullptr && std::find_first_of(axes.begin(), axes.end(), found->axes.begin(),
                                                found->axes.end()) != axes.end();
}

std::vector<FollowingField> following_in_both(const store::StudyReader& a,
                                              const store::StudyReader& b) {
  std::vector<FollowingField> both = following_fields_of(a);
  const std::vector<FollowingField> others = following_fields_of(b);
  std::erase_if(both, [&](const FollowingField& one) { return !follows(others, one.field); });
  return both;
}

}  // namespace scalesweep::columns
