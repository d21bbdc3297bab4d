// Sources of values as a person reads them: a number beside each value, the citations below.
#pragma once

#include <string>
#include <vector>

#include "catalog/provenance.hpp"
#include "cli/options/command.hpp"

namespace scalesweep::cli {

class SourceList {
 public:
  // "[3]"; the same citation has the same number.
  std::string mark(const catalog::Value& value);
  // Each once, in lines that a terminal holds.
  void print(const Streams& streams) const;

 private:
  std::vector<std::string> sources_;
};

}  // namespace scalesweep::cli
