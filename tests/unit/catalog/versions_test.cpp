// Software stacks in several versions: which entry a name stands for, and what is known of each.
#include <gmock/gmock.h>

#include "example_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using testing::ElementsAre;
using testing::HasSubstr;

std::string framework(const std::string& name, const std::string& rest) {
  return "\n[framework." + name + "]\nsource = \"paper\"\nkind = \"published\"\n" + rest;
}

// From old to new, in another order than that of their lines.
const std::string engine = framework("\"engine@0.9\"", "issue_interval = \"30 us\"\n") +
                           framework("\"engine@0.11\"", "like = \"engine@0.9\"\n") +
                           framework("\"engine@0.2\"", "issue_interval = \"60 us\"\n");

TEST(Versions, APlainNameIsTheNewest) {
  const Catalog catalog = load_text(example_text + engine);
  EXPECT_EQ(catalog.canonical(Section::frameworks, "engine"), "engine@0.11");
  EXPECT_EQ(catalog.canonical(Section::frameworks, "engine@0.2"), "engine@0.2");
  EXPECT_EQ(catalog.framework("engine").name, "engine@0.11");
  EXPECT_EQ(catalog.framework("engine").version, "0.11");
  EXPECT_DOUBLE_EQ(catalog.framework("engine").training.issue_interval_s, 30e-6);  // of 0.9
  EXPECT_DOUBLE_EQ(catalog.framework("engine@0.2").training.issue_interval_s, 60e-6);
  EXPECT_THAT(catalog.names(Section::frameworks),
              ElementsAre("engine@0.9", "engine@0.11", "engine@0.2"));
}

// What rests on a stack without a version rests on the newest.
TEST(Versions, RelativesRestOnTheNewest) {
  const Catalog catalog =
      load_text(example_text + engine + framework("fork", "like = \"engine\"\n"));
  EXPECT_EQ(catalog.entry(Section::frameworks, "fork")->like, "engine@0.11");
  EXPECT_EQ(catalog.framework("fork").version, "");
}

// An entry without a version in its name has that of its layouts.
TEST(Versions, APlainEntryHasTheVersionOfItsLayouts) {
  const std::string plain = framework("plain", "issue_interval = \"30 us\"\n") +
                            "[framework.plain.runs]\nversion = \"core_r0.12\"\n";
  const Catalog catalog = load_text(example_text + plain);
  EXPECT_EQ(catalog.framework("plain").version, "core_r0.12");
  EXPECT_EQ(catalog.canonical(Section::frameworks, "plain@core_r0.12"), "plain");
  EXPECT_FALSE(catalog.has(Section::frameworks, "plain@core_r0.13"));
}

// What ran somewhere: of a version, of what was out on a day, of neither.
TEST(Versions, TheOneThatRanIsNotNewer) {
  const std::string dated =
      framework("\"engine@0.9\"", "issue_interval = \"30 us\"\nreleased = \"2025-10-02\"\n") +
      framework("\"engine@0.11\"", "like = \"engine@0.9\"\nreleased = \"2026-01-21\"\n") +
      framework("\"engine@0.12\"", "like = \"engine@0.11\"\n") +
      framework("plain", "issue_interval = \"30 us\"\n");
  const Catalog catalog = load_text(example_text + dated);
  EXPECT_EQ(catalog.framework("engine@0.12").released, "");  // of itself, not of what it rests on
  EXPECT_EQ(catalog.version_of("engine", "0.11.2", ""), "engine@0.11");
  EXPECT_EQ(catalog.version_of("engine@0.9", "0.11.0rc3-cu130", ""), "engine@0.11");
  EXPECT_EQ(catalog.version_of("engine", "0.30", ""), "engine@0.12");
  EXPECT_EQ(catalog.version_of("engine", "0.2", ""), "engine@0.9");  // older than all: the oldest
  EXPECT_EQ(catalog.version_of("engine", "", "2026-01-20"), "engine@0.9");
  EXPECT_EQ(catalog.version_of("engine", "nightly-5b8c", "2026-02-01"), "engine@0.11");
  EXPECT_EQ(catalog.version_of("engine", "", "2024-01-01"), "engine@0.9");
  EXPECT_EQ(catalog.version_of("engine", "", ""), "engine@0.12");
  EXPECT_EQ(catalog.version_of("engine@0.9", "", ""), "engine@0.9");
  EXPECT_EQ(catalog.version_of("plain", "0.1", "2026-02-01"), "plain");
  EXPECT_EQ(catalog.version_of("unknown", "0.1", ""), "unknown");
}

TEST(Versions, ADayIsWrittenAsOne) {
  for (const std::string day : {"2 October 2025", "2025-10", "2025/10/02"}) {
    EXPECT_THAT(complaints(example_text + framework("\"engine@0.9\"",
                                                    "issue_interval = \"30 us\"\n"
                                                    "released = \"" +
                                                        day + "\"\n")),
                HasSubstr("'" + day + "' is no day; write one like \"2025-10-02\""));
  }
}

// The stack that runs on some devices under a name of its own; what rests on it is no port.
TEST(Versions, AStackHasPorts) {
  const Catalog catalog = load_text(
      example_text + engine +
      framework("engine-x", "like = \"engine\"\nport_of = \"engine\"\nport_devices = \"xi\"\n") +
      framework("mine", "like = \"engine-x\"\n"));
  EXPECT_EQ(catalog.stack_on("xi300", "engine"), "engine-x");
  EXPECT_EQ(catalog.stack_on("xi300", "engine@0.9"), "engine-x");
  EXPECT_EQ(catalog.stack_on("chip", "engine"), "engine");
  EXPECT_EQ(catalog.stack_on("xi300", "plain"), "plain");
}

TEST(Versions, UnknownOnesAreToldWhichThereAre) {
  const Catalog catalog =
      load_text(example_text + engine + framework("silent", "issue_interval = \"30 us\"\n"));
  EXPECT_EQ(catalog.suggestion(Section::frameworks, "engine@0.12"),
            "; of 'engine' it has 0.11, 0.2, 0.9");
  EXPECT_EQ(catalog.suggestion(Section::frameworks, "silent@1"),
            "; of 'silent' it has one version, which nobody says; leave '@1' out");
}

TEST(Versions, MistakesSayWhereAndWhatToDo) {
  const std::string given = "issue_interval = \"30 us\"\n";
  EXPECT_THAT(complaints(example_text + engine + framework("engine", given)),
              HasSubstr("'engine' stands for the newest of its versions, of which 'engine@0.11'"));
  EXPECT_THAT(complaints(example_text + framework("engine", given) + engine),
              HasSubstr("is one; write the version of this one into its name as well, "
                        "\"engine@VERSION\""));
  for (const std::string name : {"\"engine@\"", "\"@0.1\"", "\"a@b@c\"", "\"@\""}) {
    EXPECT_THAT(complaints(example_text + framework(name, given)),
                HasSubstr("is no name of a version; write a stack, @ and a version, for example "
                          "\"vllm@0.11\""))
        << name;
  }
  const std::string runs = "[framework.\"engine@1.0\".runs]\nversion = \"0.9\"\n";
  EXPECT_THAT(complaints(example_text + framework("\"engine@1.0\"", given) + runs),
              HasSubstr("'engine@1.0' is of version 1.0 by its name, and these are of 0.9; write "
                        "one of both, or leave this out"));
  EXPECT_THAT(complaints(example_text + framework("\"engine@1.0\"", "like = \"engine\"\n")),
              HasSubstr("'engine@1.0' rests on 'engine@1.0', which rests on it in turn"));
}

// Layouts that a version takes over are those of the one before, and say so.
TEST(Versions, LayoutsMayBeOfTheVersionBefore) {
  const std::string before = framework("\"engine@1.0\"", "issue_interval = \"30 us\"\n") +
                             "[framework.\"engine@1.0\".runs]\ntensor_parallel = true\nversion = "
                             "\"1.0\"\n" +
                             framework("\"engine@1.1\"", "like = \"engine@1.0\"\n");
  const Catalog catalog = load_text(example_text + before);
  EXPECT_EQ(catalog.framework("engine").version, "1.1");
  EXPECT_EQ(catalog.framework("engine").runs->version, "1.0");
  EXPECT_TRUE(catalog.framework("engine").runs->tensor_parallel);
}

std::string uncertainty(const std::string& name, const std::string& of, const std::string& value) {
  return "\n[uncertainty." + name +
         "]\nsource = \"paper\"\nkind = \"calibrated\"\ndevice = " + "\"chip\"\nframework = \"" +
         of + "\"\nscale = \"single_node\"\nrelative = " + value +
         "\nrows = 5\ndate = \"2026-01-31\"\n";
}

// An error bar is that of the very version, else of all its versions, else of what was measured.
TEST(Versions, ErrorBarsAreOfAVersionElseOfItsStack) {
  const Catalog both = load_text(example_text + engine + uncertainty("all", "engine", "0.3") +
                                 uncertainty("new", "engine@0.11", "0.1"));
  EXPECT_EQ(both.uncertainty("chip", "engine").single_node.relative, 0.1);
  EXPECT_EQ(both.uncertainty("chip", "engine@0.9").single_node.relative, 0.3);
  EXPECT_TRUE(both.uncertainty("chip", "engine@0.9").single_node.is_measured());

  const Catalog one = load_text(example_text + engine + uncertainty("old", "engine@0.9", "0.1"));
  EXPECT_TRUE(one.uncertainty("chip", "engine@0.9").single_node.is_measured());
  EXPECT_FALSE(one.uncertainty("chip", "engine@0.11").single_node.is_measured());
}

TEST(Versions, TraitsAreOfAVersionElseOfItsStack) {
  const auto trait = [](const std::string& name, const std::string& of, const std::string& factor) {
    return "\n[trait." + name + "]\nsource = \"paper\"\nkind = \"calibrated\"\ntrait = " +
           "\"pipeline parallelism\"\nframework = \"" + of + "\"\nfactor = " + factor +
           "\nrows = 5\n";
  };
  const Catalog catalog = load_text(example_text + engine + trait("new", "engine@0.11", "1.2") +
                                    trait("every", "engine", "1.5"));
  const auto factor = [&](const std::string& name) {
    return catalog.uncertainty("chip", name)
        .traits[static_cast<std::size_t>(technology::Trait::pipeline)]
        .factor;
  };
  EXPECT_EQ(factor("engine@0.11"), 1.2);
  EXPECT_EQ(factor("engine@0.9"), 1.5);
}

}  // namespace
}  // namespace scalesweep::catalog
