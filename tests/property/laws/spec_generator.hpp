// Specs of all kinds of work, drawn from the rows of their keys: a further key, word or entry of
// the catalog is drawn by itself.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "parallel/enumerate.hpp"
#include "space/keys/spec_keys.hpp"
#include "support/choices.hpp"

namespace scalesweep::test {

using parallel::WorkloadKind;
inline constexpr std::size_t kind_count = parallel::workload_kind_names.size();

// Of keys, by their paths.
using SpecValues = std::map<std::string, std::string>;
std::string text_of(const SpecValues& values);
// A key that is a table as well stands in the place of what is in it, and the other way round.
void set_value(SpecValues& values, const std::string& path, const std::string& value);

class SpecGenerator {
 public:
  // Names are those of the catalog.
  explicit SpecGenerator(std::shared_ptr<const catalog::Catalog> catalog);

  // A few keys of a small spec that is right, with values that their rows allow and some that they
  // do not: mostly right.
  SpecValues any_spec(Choices& choices) const;

  // What a spec must be so that it stays: right, and small.
  using IsRight = std::function<bool(const SpecValues& values)>;
  // Values as a user would write them. Nothing where not even the beginning is right.
  std::optional<SpecValues> right_spec(WorkloadKind kind, Choices& choices,
                                       const IsRight& is_right) const;

 private:
  using Keys = std::vector<const space::Key*>;

  Keys keys_of(WorkloadKind kind, config::Variants form, bool with_tables) const;
  std::string any_value(const space::Key& key, Choices& choices) const;
  std::string usual_value(const space::Key& key, Choices& choices) const;
  std::string name_for(const space::Key& key, Choices& choices) const;
  void add_needed(SpecValues& values, const space::Key& key, const Keys& keys,
                  Choices& choices) const;

  std::shared_ptr<const catalog::Catalog> catalog_;
};

}  // namespace scalesweep::test
