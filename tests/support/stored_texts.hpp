// Texts of a study file as tests write them shortly: "best 2 per logic" of `keep`, "step_time,
// -tokens_per_second" of `objectives`, as files of format version 2 held them, in the JSON of now.
#pragma once

#include <map>
#include <string>

#include "store/versions/former_texts.hpp"

namespace scalesweep::test {

inline std::string as_stored(const std::string& name, const std::string& sentence) {
  std::map<std::string, std::string> texts = {{name, sentence}};
  store::use_present_texts(texts);
  return texts.at(name);
}

}  // namespace scalesweep::test
