// The table of columns in FORMAT.md is what the rows of the columns say, both ways. After a change
// on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R study_test
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/host/files.hpp"
#include "core/text.hpp"
#include "space/read/spec_axes.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/workload_kind.hpp"

namespace scalesweep::study {
namespace {

// With all that a spec may ask for.
EstimateColumns all_columns(const WorkloadKind& kind) {
  space::Spec spec;
  spec.load_curve = {1.0};
  spec.axes.push_back({"tokens", space::AxisKind::quantity, "1", {"1 T"}, {1e12}, {}});
  spec.axes.push_back({"turns", space::AxisKind::integer, "", {"8"}, {8.0}, {}});
  return columns_of(kind, spec);
}

std::vector<store::Column> columns_behind_status(const WorkloadKind& kind) {
  const store::Schema schema = make_schema(all_columns(kind), {});
  const auto status = static_cast<std::ptrdiff_t>(column_named(schema, "status"));
  return {schema.begin() + status + 1, schema.end()};
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

// A line of the table, but for its kinds. Charges and phases are one line each.
struct Line {
  std::string name;
  std::string rest;     // the cells behind the kinds
  std::string members;  // of charges and phases: their names
  std::vector<std::string> kinds;
};

Line line_of(const store::Column& column) {
  const std::string family = column.role.substr(0, column.role.find(':'));
  const bool is_part = family == "charge" || family == "phase";
  const std::string member = column.role.substr(column.role.find(':') + 1);
  const std::string stands_for = family == "charge" ? "<resource>" : "<phase>";
  return {is_part ? family + "_" + stands_for : column.name,
          code(column.units) + " | " + column.better + " | " +
              code(is_part ? family + ":" + stands_for : column.role) + " | " + column.description,
          is_part ? " " + stands_for + ": " + code(member) : "",
          {}};
}

std::vector<Line> lines_of_all_kinds() {
  std::vector<Line> lines;
  for (const WorkloadKind* kind : workload_kinds()) {
    const std::string name(kind->form.name);
    for (const store::Column& column : columns_behind_status(*kind)) {
      const Line line = line_of(column);
      auto kept = std::find_if(lines.begin(), lines.end(), [&](const Line& other) {
        return other.name == line.name && other.rest == line.rest;
      });
      if (kept == lines.end()) {
        kept = lines.insert(kept, line);
      } else if (!line.members.empty()) {
        const std::string member = line.members.substr(line.members.find('`'));
        kept->members += kept->members.find(member) == std::string::npos ? ", " + member : "";
      }
      if (kept->kinds.empty() || kept->kinds.back() != name) {
        kept->kinds.push_back(name);
      }
    }
  }
  return lines;
}

const std::string header = "| Column | Kinds | Units | Better | Role | What it is |\n";

std::string table_of_columns() {
  std::string table = header + "|---|---|---|---|---|---|\n";
  for (const Line& line : lines_of_all_kinds()) {
    const std::string of =
        line.kinds.size() == workload_kinds().size() ? "all" : join(line.kinds, ", ");
    table += "| `" + line.name + "` | " + of + " | " + line.rest + line.members + " |\n";
  }
  return table;
}

// From `first` to the empty line behind it.
std::string table_in(const std::string& text, const std::string& first) {
  const std::size_t begin = text.find(first);
  return begin == std::string::npos
             ? ""
             : text.substr(begin, std::min(text.find("\n\n", begin), text.size()) + 1 - begin);
}

// A file has a column for each axis as well.
TEST(FormatColumns, NoneIsCalledAsAnAxis) {
  for (const WorkloadKind* kind : workload_kinds()) {
    for (const store::Column& column : columns_behind_status(*kind)) {
      const auto& axes = space::axis_names();
      EXPECT_EQ(std::find(axes.begin(), axes.end(), column.name), axes.end())
          << column.name << " of " << kind->form.name;
    }
  }
}

TEST(FormatColumns, TheDocumentHasEveryColumnAndNoOther) {
  std::string document = read_file(FORMAT_DOCUMENT);
  const std::string stated = table_in(document, header);
  const std::string wanted = table_of_columns();
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr && !stated.empty()) {
    document.replace(document.find(stated), stated.size(), wanted);
    std::ofstream(FORMAT_DOCUMENT) << document;
  }
  EXPECT_EQ(stated, wanted) << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R study_test";
}

// "rate:dram axis:memory": rate and axis.
std::set<std::string> words_of_roles() {
  std::set<std::string> words;
  space::Axis devices;  // the axis that has a role
  devices.name = "accelerators";
  for (const WorkloadKind* kind : workload_kinds()) {
    for (const store::Column& column : make_schema(all_columns(*kind), {devices})) {
      for (const std::string& role : split(column.role, ' ')) {
        words.insert(role.substr(0, role.find(':')));
      }
    }
  }
  words.erase("");
  return words;
}

TEST(FormatColumns, TheDocumentHasEveryRoleAndNoOther) {
  std::istringstream lines(table_in(read_file(FORMAT_DOCUMENT), "| Role | What it says |\n"));
  const std::regex row("\\| `(\\w+)(:<\\w+>)?` \\|.*");
  std::set<std::string> documented;
  std::smatch cells;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, cells, row)) {
      documented.insert(cells[1]);
    }
  }
  EXPECT_EQ(documented, words_of_roles());
}

TEST(FormatColumns, EveryKindCountsItsOwnUnitOfWork) {
  for (const WorkloadKind* kind : workload_kinds()) {
    const std::string one(kind->unit.one);
    const std::string many(kind->unit.many);
    const std::vector<store::Column> columns = columns_behind_status(*kind);
    const auto name_with = [&](const std::string& role) {
      const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
        const std::vector<std::string> words = split(column.role, ' ');
        return std::find(words.begin(), words.end(), role) != words.end();
      });
      return found == columns.end() ? "" : found->name;
    };
    EXPECT_EQ(name_with("throughput"), many + "_per_second") << kind->form.name;
    EXPECT_EQ(name_with("unit_energy"), "energy_per_" + one) << kind->form.name;
    EXPECT_EQ(name_with("unit_cost"), "cost_per_million_" + many) << kind->form.name;
  }
}

TEST(FormatColumns, EveryKindSaysWhatItsPointsAreRankedByAndMinimises) {
  for (const WorkloadKind* kind : workload_kinds()) {
    const std::vector<store::Column> columns = columns_behind_status(*kind);
    const auto with = [&](const std::string& role) {
      return std::count_if(columns.begin(), columns.end(), [&](const store::Column& column) {
        const std::vector<std::string> words = split(column.role, ' ');
        return std::find(words.begin(), words.end(), role) != words.end() &&
               column.better == "smaller";
      });
    };
    EXPECT_EQ(with("time"), 1);
    EXPECT_EQ(with("rank"), 1);
    for (const std::string_view objective : kind->columns().objectives) {
      EXPECT_TRUE(objective == "accelerators" || std::any_of(columns.begin(), columns.end(),
                                                             [&](const store::Column& column) {
                                                               return column.name == objective &&
                                                                      column.better == "smaller";
                                                             }))
          << objective;
    }
  }
}

}  // namespace
}  // namespace scalesweep::study
