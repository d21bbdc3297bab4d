// The description of the spec language (sweeps/README.md) and the shipped studies, held to the
// reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/host/files.hpp"
#include "parallel/fields.hpp"
#include "space/keys/spec_book.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec.hpp"
#include "space/read/spec_axes.hpp"

namespace scalesweep::space {
namespace {

using ::testing::HasSubstr;

std::filesystem::path sweeps() {
  const char* source = std::getenv("SCALESWEEP_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "sweeps";
}

std::string reference() {
  return read_file(sweeps() / "README.md");
}

// Texts between ```toml and ```.
std::vector<std::string> examples(const std::string& document) {
  std::vector<std::string> found;
  std::istringstream lines(document);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line == "```toml") {
      found.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

TEST(Reference, whole_examples_are_read_without_a_word) {
  int whole = 0;
  for (const std::string& example : examples(reference())) {
    if (example.find("schema") == std::string::npos) {
      continue;  // a part of a spec
    }
    ++whole;
    Diagnostics diagnostics;
    EXPECT_TRUE(read_spec("README.md", example, diagnostics)) << example;
    EXPECT_EQ(diagnostics.text(), "");
  }
  EXPECT_GE(whole, 2);
}

TEST(Reference, holds_the_tables_of_the_rows) {
  const std::string text = reference();
  const std::string made = config::with_tables(text, spec_book());
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(sweeps() / "README.md") << made;
  }
  EXPECT_EQ(text, made) << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R space_test";
  for (const config::KeyGroup& group : spec_book().groups) {
    EXPECT_THAT(text, HasSubstr("<!-- keys: " + std::string(group.name) + " -->\n|"));
  }
}

TEST(Reference, schema_for_editors_is_that_of_the_rows) {
  const std::filesystem::path file = sweeps() / "schema.json";
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << spec_schema();
  }
  EXPECT_EQ(read_file(file), spec_schema())
      << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R space_test";
}

// The texts in backticks of the numbered list of a section.
std::vector<std::string> listed_in(const std::string& document, const std::string& section) {
  const std::size_t first = document.find("\n1. ", document.find("## " + section));
  const std::string list = document.substr(first, document.find("\n7. ", first) - first);
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = list.find('`', at)) != std::string::npos;) {
    const std::size_t end = list.find('`', at + 1);
    names.push_back(list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return names;
}

TEST(Reference, lists_the_axes_in_their_order) {
  std::vector<std::string> axes = axis_names();
  std::erase_if(axes, [](const std::string& name) {
    return config::KeyScope{spec_keys(), "economics."}.find(name) != nullptr ||
           config::KeyScope{spec_keys(), "run."}.find(name) != nullptr;
  });
  EXPECT_EQ(listed_in(reference(), "Point ids"), axes);
}

TEST(Reference, names_every_field_of_a_strategy) {
  const std::string text = reference();
  for (const parallel::Field& field : parallel::strategy_fields()) {
    EXPECT_THAT(text, HasSubstr(std::string(field.name)));
  }
}

TEST(ShippedStudies, are_read_without_a_word) {
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(sweeps())) {
    if (entry.path().extension() != ".toml") {
      continue;
    }
    ++studies;
    Diagnostics diagnostics;
    EXPECT_TRUE(read_spec(entry.path().string(), read_file(entry.path()), diagnostics));
    EXPECT_EQ(diagnostics.text(), "");
  }
  EXPECT_GE(studies, 2);
}

}  // namespace
}  // namespace scalesweep::space
