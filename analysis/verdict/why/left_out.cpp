#include "analysis/verdict/why/left_out.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/file/columns.hpp"
#include "core/diagnostic.hpp"
#include "core/failure.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::analysis {
namespace {

std::vector<std::string> filters_of(const store::StudyReader& reader) {
  const auto text = reader.provenance().find("spec");
  if (text == reader.provenance().end()) {
    return {};
  }
  Diagnostics unread;
  const auto spec = space::read_spec("the spec", text->second, unread);
  std::vector<std::string> filters;
  for (const space::Filter& filter : spec ? spec->filters : std::vector<space::Filter>{}) {
    filters.push_back(filter.expression);
  }
  return filters;
}

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool was_left_out(const StudyLayout& layout, const FoundQuestion& question) {
  const auto all =
      std::accumulate(question.statuses.begin(), question.statuses.end(), std::int64_t{0});
  for (std::size_t status = 0; status < question.statuses.size(); ++status) {
    if (layout.statuses[status] == filtered_status && question.statuses[status] == all) {
      return all > 0;
    }
  }
  return false;
}

LeftOut::LeftOut(const store::StudyReader& reader, const StudyLayout& layout,
                 const std::vector<std::string>& per)
    : layout_(layout), per_(per) {
  for (const std::string& text : filters_of(reader)) {
    try {
      Condition filter(text, layout.schema, layout.axes);
      const std::vector<std::string>& columns = filter.columns();
      if (std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
            const auto axis = layout_.axis(name);
            return is_one_of(per_, name) || (axis && layout_.axes[*axis].labels.size() == 1);
          })) {
        filters_.push_back(std::move(filter));
      }
    } catch (const Failure& failure) {
      // A filter may name what is no column: a point of a strategy that the file leaves out.
      if (failure.code() != ExitCode::bad_input) {
        throw;
      }
    }
  }
}

bool LeftOut::has(const std::vector<std::int32_t>& values) const {
  return !std::all_of(filters_.begin(), filters_.end(),
                      [&](const Condition& filter) { return holds(filter, values); });
}

bool LeftOut::holds(const Condition& filter, const std::vector<std::int32_t>& values) const {
  const store::Schema schema = schema_of(layout_.schema, filter.columns());
  store::Table row(schema);
  for (std::size_t column = 0; column < schema.size(); ++column) {
    const auto place = std::find(per_.begin(), per_.end(), schema[column].name) - per_.begin();
    const auto i = static_cast<std::size_t>(place);
    const std::int32_t value = i < values.size() ? values[i] : 0;
    visit_column(row, column, schema[column].type, [&](auto& cells) {
      cells.push_back(static_cast<typename std::decay_t<decltype(cells)>::value_type>(value));
    });
  }
  std::vector<std::uint8_t> holds;
  filter.select(row, schema, holds);
  return holds.front() != 0;
}

}  // namespace scalesweep::analysis
