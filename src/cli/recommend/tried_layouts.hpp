// The keys of [strategy] of a made spec, less what the framework of the question cannot run, and
// the filters for combinations of values each of which it can.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deploy/unrunnable.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::cli {

enum class Sizes { powers, divisors };

class TriedLayouts {
 public:
  TriedLayouts() = default;
  explicit TriedLayouts(std::vector<deploy::Refusal> refused) : refused_(std::move(refused)) {}

  // Whether some layout with this value of a field can run, whatever the fields are of which this
  // framework may need another value than the plain one.
  bool can(std::string_view field, std::int32_t value) const;

  // Each adds a key of a field, named as in parallel::find_field. Sizes up to `most`, or 1 where
  // larger ones cannot run.
  void sizes(std::string_view field, std::int64_t most, Sizes which);
  // Those of the values that can run.
  void values(std::string_view field, const std::vector<std::int32_t>& values);
  // The first value with which sizes of `size` above 1 can run. Where that is the plain one or none
  // is, no key.
  void first_of(std::string_view field, const std::vector<std::int32_t>& values,
                std::string_view size);
  // A key that is no field.
  void key(std::string name, std::string value);

  // A condition that all layouts must meet.
  void require(std::string condition) { required_.push_back(std::move(condition)); }

  // Names and values, in the order of the calls.
  const std::vector<std::pair<std::string, std::string>>& keys() const { return keys_; }
  // Conditions: what is required, then what the framework refuses of the values that are tried.
  std::vector<std::string> filters() const;

 private:
  struct Field {
    std::string_view name;
    std::vector<std::int32_t> values;  // of sizes 1, 2 and the largest: what refusals tell apart
  };

  std::vector<parallel::Strategy> combinations() const;

  std::vector<deploy::Refusal> refused_;
  std::vector<std::string> required_;
  std::vector<Field> fields_;
  std::vector<std::pair<std::string, std::string>> keys_;
};

}  // namespace scalesweep::cli
