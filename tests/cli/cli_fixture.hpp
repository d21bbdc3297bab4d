// Runs the command line in this process and holds what it said.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/application.hpp"
#include "support/small_study.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::test {

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

inline Said scalesweep(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Said said;
  said.code = cli::run(arguments, out, err);
  said.out = out.str();
  said.err = err.str();
  return said;
}

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder with a spec in it.
class CliTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
    return path(name);
  }
  std::string spec(const std::string& rest = "") const {
    return write("spec.toml", small_spec(rest));
  }
  // A finished study of it.
  std::string study(const std::string& rest = "") const {
    const Said said = scalesweep({"run", spec(rest), "-o", path("out.h5"), "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    return path("out.h5");
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Without the breaks of a narrow text.
inline std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == ' ';
    if (!is_space || !line.ends_with(' ')) {
      line += is_space ? ' ' : c;
    }
  }
  return line;
}

}  // namespace scalesweep::test
