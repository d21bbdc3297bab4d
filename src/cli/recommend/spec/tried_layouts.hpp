// The keys of [strategy] of a made spec, less what no framework of the question can run, and the
// filters for combinations of values each of which one of them can.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deploy/rules/unrunnable.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::cli {

// Of a key: one value, or a list.
std::string list_text(const std::vector<std::string>& values);

enum class Sizes { powers, divisors };

// As the spec names it.
struct TriedFramework {
  std::string name;
  std::vector<deploy::Refusal> refused;
};

class TriedLayouts {
 public:
  TriedLayouts() = default;
  explicit TriedLayouts(std::vector<TriedFramework> frameworks)
      : frameworks_(std::move(frameworks)) {}

  // Whether some layout with this value of a field can run, whatever the fields are of which a
  // framework may need another value than the plain one.
  bool can(std::string_view field, std::int32_t value) const;

  // Each adds a key of a field, named as in parallel::find_field. Sizes up to `most`, or 1 where
  // larger ones cannot run.
  void sizes(std::string_view field, std::int64_t most, Sizes which);
  // Those of the values that can run.
  void values(std::string_view field, const std::vector<std::int32_t>& values);
  // Of each framework the first value with which sizes of `size` above 1 can run. Where that is the
  // plain one or none is, no key.
  void first_of(std::string_view field, const std::vector<std::int32_t>& values,
                std::string_view size);
  // A key that is no field.
  void key(std::string name, std::string value);

  // A condition that all layouts must meet.
  void require(std::string condition) { required_.push_back(std::move(condition)); }

  // Names and values, in the order of the calls.
  const std::vector<std::pair<std::string, std::string>>& keys() const { return keys_; }
  // Conditions: what is required, then what a framework refuses of the values that are tried.
  std::vector<std::string> filters() const;

 private:
  struct Field {
    std::string_view name;
    std::vector<std::int32_t> values;  // of sizes 1, 2 and the largest: what abilities tell apart
    std::int32_t most = 0;             // of sizes the largest, of others 0
    Sizes which = Sizes::divisors;
  };

  std::vector<parallel::Strategy> combinations() const;
  // Whether a rule, which tells sizes apart, refuses one of those that are tried.
  bool is_tried(const deploy::Refusal& rule) const;
  bool any_runs(const std::vector<parallel::Strategy>& layouts) const;
  std::vector<std::string> refused_by(const TriedFramework& framework,
                                      const std::vector<parallel::Strategy>& layouts) const;

  std::vector<TriedFramework> frameworks_ = {{}};  // of one that nobody knows, nothing is refused
  std::vector<std::string> required_;
  std::vector<Field> fields_;
  std::vector<std::pair<std::string, std::string>> keys_;
};

// Memory of a device that is tried for what sessions have said: none, and parts of all of it.
std::vector<std::string> tried_prefix_caches(double device_bytes);

}  // namespace scalesweep::cli
