// Every option that can be written stands among the documented ones of its framework
// (documented_options.txt), whatever point it is written for.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "core/host/files.hpp"
#include "deploy/target.hpp"
#include "support/small_study.hpp"

namespace scalesweep::deploy {
namespace {

struct Documented {
  std::string source;
  std::set<std::string> names;
};

std::map<std::string, Documented> documented() {
  std::map<std::string, Documented> all;
  std::istringstream text(
      read_file(test::source_folder() / "tests/unit/deploy/documented_options.txt"));
  Documented* target = nullptr;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.starts_with("#")) {
      continue;
    }
    if (line.starts_with("[")) {
      const std::size_t end = line.find(']');
      target = &all[line.substr(1, end - 1)];
      target->source = line.substr(end + 1);
    } else {
      target->names.insert(line);
    }
  }
  return all;
}

template <typename Target>
void expect_documented(const Target& target, const std::map<std::string, Documented>& all) {
  const auto found = all.find(std::string(target.text.name));
  ASSERT_NE(found, all.end()) << target.text.name;
  EXPECT_NE(found->second.source.find("unverified"), std::string::npos) << target.text.name;
  std::set<std::string> written;
  for (const auto& option : target.options) {
    std::string name(option.name);
    if (name.ends_with('=')) {
      name.pop_back();
    }
    EXPECT_TRUE(written.insert(name).second) << target.text.name << " twice: " << name;
    EXPECT_TRUE(found->second.names.contains(name)) << target.text.name << ": " << name;
    EXPECT_FALSE(option.why.empty()) << name;
    const bool in_file = option.place == Place::file;
    EXPECT_FALSE(in_file && target.file.name.empty()) << name;
    EXPECT_NE(in_file, name.starts_with("--") || option.name.ends_with('=')) << name;
  }
}

TEST(Options, AreDocumented) {
  const std::map<std::string, Documented> all = documented();
  for (const TrainingTarget* target : training_targets()) {
    expect_documented(*target, all);
  }
  for (const ServingTarget* target : serving_targets()) {
    expect_documented(*target, all);
  }
}

}  // namespace
}  // namespace scalesweep::deploy
