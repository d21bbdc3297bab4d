// What a document of a published folder says of the study, to be compared with it.
#pragma once

#include <string>

namespace scalesweep::publish {

// Empty where the document has no place for it.
struct StatedFacts {
  std::string title;
  std::string license;  // its name; of a listed one also its address
  std::string identity;
  std::string rows;
};

// By the name of the document (documents.hpp). Throws std::runtime_error with what is wrong where
// it cannot be read or lacks a part.
StatedFacts facts_in(const std::string& document, const std::string& text);

}  // namespace scalesweep::publish
