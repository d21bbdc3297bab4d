#include "store/versions/former_study.hpp"

#include <algorithm>

#include "store/versions/former_names.hpp"
#include "store/versions/former_texts.hpp"

namespace scalesweep::store {
namespace {

bool is_word_part(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A text that speaks of columns and statuses, by the names that they have now.
std::string text_now(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_part(text[end])) {
      ++end;
    }
    if (end == at) {
      result += text[at++];
      continue;
    }
    result += status_now(column_now(text.substr(at, end - at)));
    at = end;
  }
  return result;
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void rename_column(Column& column) {
  const std::string name = column_now(column.name);
  if (name != column.name) {
    column.long_name = spaced(name);
    column.name = name;
  }
  for (std::string& label : column.labels) {
    label = status_now(label);
  }
  column.description = text_now(column.description);
}

void rename_all(std::vector<std::string>& names, std::string (*now)(std::string_view)) {
  std::transform(names.begin(), names.end(), names.begin(),
                 [now](const std::string& name) { return now(name); });
}

}  // namespace

void use_present_names(StudyDescription& study) {
  if (study.version >= version_of_names) {
    return;
  }
  std::for_each(study.schema.begin(), study.schema.end(), rename_column);
  rename_all(study.count_names, status_now);
  rename_all(study.outcomes.nearest, column_now);
  for (Histogram& histogram : study.histograms) {
    histogram.name = column_now(histogram.name);
  }
  for (auto& [name, text] : study.identity_parts) {
    text = text_now(text);
  }
  use_present_texts(study.root_attributes);
  use_present_texts(study.provenance);
}

}  // namespace scalesweep::store
