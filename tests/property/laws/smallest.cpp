#include "smallest.hpp"

#include <utility>

namespace scalesweep::laws {
namespace {

constexpr int most_trials = 150;

// The values with one thing less: a key, or all but one value of a list.
std::vector<SpecValues> smaller(const SpecValues& values) {
  std::vector<SpecValues> all;
  for (const auto& [path, value] : values) {
    SpecValues without = values;
    without.erase(path);
    all.push_back(std::move(without));
    if (!value.starts_with('[') || value.find('{') != std::string::npos) {
      continue;
    }
    std::string rest = value.substr(1, value.size() - 2);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(", ");
      SpecValues one = values;
      one[path] = rest.substr(0, comma);
      all.push_back(std::move(one));
      rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
    }
  }
  return all;
}

}  // namespace

Subject smallest(const Law& law, Subject subject, double broken_by) {
  int trials = 0;
  bool is_smaller = true;
  while (is_smaller && trials < most_trials) {
    is_smaller = false;
    for (const SpecValues& values : smaller(subject.values)) {
      if (++trials > most_trials) {
        break;
      }
      std::optional<Subject> tried = subject_of(subject.kind, values, subject.catalog);
      if (!tried) {
        continue;
      }
      const Finding finding = law.check(law, *tried);
      if (finding.broken > 0 && finding.worst >= 0.5 * broken_by) {
        subject = std::move(*tried);
        is_smaller = true;
        break;
      }
    }
  }
  return subject;
}

}  // namespace scalesweep::laws
