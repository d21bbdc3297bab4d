// The texts that a study's file holds are enough to make the study again.
#include <gtest/gtest.h>

#include "core/host/files.hpp"
#include "study/file/stored_texts.hpp"
#include "study/file/study_of_file.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

namespace fs = std::filesystem;

Study loaded(const fs::path& spec) {
  Diagnostics diagnostics;
  const auto study = Study::load(spec, test::nodes_folder(), diagnostics);
  if (!study) {
    throw std::runtime_error(diagnostics.text());
  }
  return *study;
}

std::string text_of(const Study& study, const std::string& name) {
  const auto& texts = study.description().provenance;
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

// Out of its texts alone.
Study again(const Study& study) {
  Diagnostics diagnostics;
  auto entries = catalog::Catalog::of_entries("catalog", text_of(study, "catalog"), diagnostics);
  if (!entries) {
    throw std::runtime_error(diagnostics.text());
  }
  const auto made =
      Study::of({"spec", text_of(study, "spec"),
                 std::make_shared<const catalog::Catalog>(std::move(*entries)),
                 trace_of_json(text_of(study, "requests"), text_of(study, "load_curve"))},
                diagnostics);
  if (!made) {
    throw std::runtime_error(diagnostics.text());
  }
  return *made;
}

// To the last bit: voltages, prices and error bars are of entries that no axis names.
void expect_same_estimates(const Study& one, const Study& other) {
  const PointId last = one.space().size() - 1;
  const IdRange begin{0, std::min<PointId>(3, last + 1)};
  test::expect_same_rows(test::evaluate(one, begin).rows, test::evaluate(other, begin).rows);
  const IdRange end{last, last + 1};
  test::expect_same_rows(test::evaluate(one, end).rows, test::evaluate(other, end).rows);
}

TEST(StoredTexts, MakeEveryStudyThatShipsAgain) {
  std::size_t count = 0;
  for (const auto& item : fs::directory_iterator(test::source_folder() / "sweeps")) {
    if (item.path().extension() != ".toml") {
      continue;
    }
    SCOPED_TRACE(item.path().filename().string());
    const Study study = loaded(item.path());
    const Study made = again(study);
    EXPECT_EQ(made.description().identity_parts, study.description().identity_parts);
    EXPECT_EQ(text_of(made, "catalog"), text_of(study, "catalog"));
    if (!study.spec().allocation && !study.spec().search) {  // whose every point is a search
      expect_same_estimates(study, made);
    }
    ++count;
  }
  EXPECT_GT(count, 10U);
}

TEST(StoredTexts, OfATraceAreReadBackToTheLastBit) {
  space::RequestTrace trace;
  trace.file = "day, SHA-256 of requests.csv";
  trace.sha256 = "0123";
  trace.requests = 12345;
  trace.arrival_rate = 1.0 / 3.0;
  trace.burstiness = 2.0 / 3.0;
  trace.dispersion = 10.0 / 3.0;
  trace.hours = {1.0, 1.0 / 7.0, 0.0};
  trace.busiest_rate = 5.0 / 9.0;
  trace.reuse = {{1e6 / 3.0, 0.1}, {1e7, 1.0 / 3.0}};
  const std::vector<space::RequestClass> classes = {{1000.0 / 3.0, 10.5, 1.0 / 3.0, {}},
                                                    {1e4, 1.0, 2.0, {}}};
  space::Spec spec;
  spec.trace = trace;
  spec.load_curve = trace.hours;
  const auto read = trace_of_json(trace_json(trace, classes), load_curve_json(spec));
  ASSERT_TRUE(read);
  EXPECT_EQ(trace_json(read->trace, read->requests), trace_json(trace, classes));
  EXPECT_EQ(read->trace.file, trace.file);
  EXPECT_EQ(read->trace.requests, trace.requests);
  EXPECT_EQ(read->trace.arrival_rate, trace.arrival_rate);
  EXPECT_EQ(read->trace.burstiness, trace.burstiness);
  EXPECT_EQ(read->trace.dispersion, trace.dispersion);
  EXPECT_EQ(read->trace.hours, trace.hours);
  EXPECT_EQ(read->trace.busiest_rate, trace.busiest_rate);
  ASSERT_EQ(read->requests.size(), 2U);
  EXPECT_EQ(read->requests[0].prompt, classes[0].prompt);
  EXPECT_EQ(read->requests[1].share, classes[1].share);
  ASSERT_EQ(read->trace.reuse.size(), 2U);
  EXPECT_EQ(read->trace.reuse[1].share, trace.reuse[1].share);
}

TEST(StoredTexts, OtherTextsAreNoTrace) {
  const std::string good =
      trace_json({.file = "a.csv", .sha256 = "0", .requests = 2}, {{1, 1, 1, {}}});
  EXPECT_TRUE(trace_of_json(good, ""));
  for (const char* other : {"", "a.csv, SHA-256 0", "[]", "{}", R"({"file":1})"}) {
    EXPECT_FALSE(trace_of_json(other, "")) << other;
  }
  EXPECT_FALSE(trace_of_json(test::replaced(good, R"("prompt")", R"("length")"), ""));
  EXPECT_TRUE(trace_of_json(good, R"({"loads":[1,0.5]})")->trace.hours.empty());
  EXPECT_EQ(trace_of_json(good, R"({"loads":[1,0.5],"busiest_rate":2})")->trace.hours.size(), 2U);
}

TEST(StoredTexts, AFileIsKnownByItsNameOrItsContent) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "study", "\x89HDF\r\n");
  test::write_text(folder / "spec.toml", "schema = 1\n");
  EXPECT_TRUE(is_study_file(folder / "none.h5"));
  EXPECT_TRUE(is_study_file(folder / "study"));
  EXPECT_FALSE(is_study_file(folder / "spec.toml"));
  EXPECT_FALSE(is_study_file(folder / "none.toml"));
}

}  // namespace
}  // namespace scalesweep::study
