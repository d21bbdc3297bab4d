// The description of the spec language (sweeps/README.md) and the shipped studies, held to the
// reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "core/host/files.hpp"
#include "parallel/fields.hpp"
#include "space/spec/spec.hpp"
#include "space/spec/spec_axes.hpp"

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

TEST(Reference, names_every_axis_and_every_field_of_a_strategy) {
  const std::string text = reference();
  for (const std::string& name : axis_names()) {
    EXPECT_THAT(text, HasSubstr(name));
  }
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
