// The text of a made spec while it is written: lines, what of the question each says, and what is
// assumed.
#pragma once

#include <string>
#include <utility>

#include "cli/recommend/spec/made_spec.hpp"

namespace scalesweep::cli {

class SpecText {
 public:
  void line(const std::string& text) {
    spec_.text += text + "\n";
    ++lines_;
  }
  void table(const std::string& name) {
    line("");
    line("[" + name + "]");
  }
  // `option` is what of the question the line says.
  void key(const std::string& name, const std::string& value, const std::string& option = "") {
    line(name + " = " + value);
    if (!option.empty()) {
      spec_.options[lines_] = option;
    }
  }
  void assume(const std::string& what) { spec_.assumed.push_back(what); }
  MadeSpec take() { return std::move(spec_); }

 private:
  MadeSpec spec_;
  int lines_ = 0;
};

}  // namespace scalesweep::cli
