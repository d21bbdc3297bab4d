#include "analysis/verdict/simplicity.hpp"

#include <algorithm>

#include "parallel/fields.hpp"

namespace scalesweep::analysis {

Complexity complexity_of(const std::vector<std::string>& columns,
                         const std::vector<double>& values) {
  const parallel::Strategy plain;
  std::int64_t kinds = 0;
  std::int64_t devices = 1;
  Complexity options;
  for (const parallel::Field& field : parallel::strategy_fields()) {
    const auto found = std::find(columns.begin(), columns.end(), field.name);
    const std::int64_t usual = field.value(plain);
    const std::int64_t value =
        found == columns.end()
            ? usual
            : static_cast<std::int64_t>(values[static_cast<std::size_t>(found - columns.begin())]);
    switch (field.burden) {
      case parallel::Burden::kind:
        kinds += value != usual ? 1 : 0;
        devices *= std::max<std::int64_t>(value, 1);
        break;
      case parallel::Burden::option:
        options.push_back(value - usual);
        break;
      case parallel::Burden::nothing:
        break;
    }
  }
  Complexity complexity = {kinds, devices};
  complexity.insert(complexity.end(), options.begin(), options.end());
  return complexity;
}

}  // namespace scalesweep::analysis
