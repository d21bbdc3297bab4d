// What must hold of every study, and how often it was asked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "subject.hpp"

namespace scalesweep::laws {

struct Finding {
  std::int64_t cases = 0;   // what was compared
  std::int64_t broken = 0;  // of them
  double worst = 0.0;       // by how much, relative
  std::string what;         // of the worst

  void add(bool holds, double by, const std::function<std::string()>& words) {
    ++cases;
    if (!holds) {
      ++broken;
      if (what.empty() || by > worst) {
        worst = by;
        what = words();
      }
    }
  }
};

struct Law {
  std::string name;
  Finding (*check)(const Law& law, const Subject& subject) = nullptr;
  std::size_t row = 0;     // of the table that the law is made of
  std::size_t one_of = 1;  // is asked of one study of so many
};

// What is known not to hold, and by how much at most: README.md of tests says why.
struct Known {
  std::string_view law;  // the beginning of its name
  WorkloadKind kind;
  double at_most;
};
std::span<const Known> known_exceptions();  // change_laws.cpp

// row_laws.cpp: of each row by itself.
std::vector<Law> row_laws();
// search_laws.cpp: of what a policy keeps.
std::vector<Law> search_laws();
// change_laws.cpp: of two studies that differ in one thing.
std::vector<Law> change_laws();

}  // namespace scalesweep::laws
