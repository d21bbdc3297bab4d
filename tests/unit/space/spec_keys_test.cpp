// The rows of the keys of a spec, held to the reader: each is read, and what must be there is asked
// for.
#include "space/keys/spec_keys.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "space/keys/spec_book.hpp"
#include "space/spec/spec_axes.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using config::KeyKind;
using config::Need;
using config::Variants;

// What must stand beside a key that is optional.
const std::multimap<std::string_view, std::string_view> companions = {
    {"workload.draft", "workload.acceptance"},
    {"workload.acceptance", "workload.draft"},
    {"workload.draft_time", "workload.draft"},
    {"workload.draft_model", "workload.draft"},
    {"workload.prefill_share", "workload.batching"},
    {"workload.prefix_hits_storage", "workload.prefix_storage_bandwidth"},
    {"workload.prefix_cache_storage", "workload.prefix_storage_bandwidth"},
    {"workload.prefix_storage_bandwidth", "workload.prefix_hits_storage"},
    {"workload.prefix_loading", "workload.prefix_hits_host"},
    {"workload.adapters", "workload.adapter_rank"},
    {"workload.adapter_rank", "workload.adapters"},
    {"workload.adapter_layers", "workload.adapters"},
    {"workload.adapter_layers", "workload.adapter_rank"},
    {"workload.frozen_weights", "workload.adapter_rank"},
    {"workload.adapter_skew", "workload.adapters"},
    {"workload.image_width", "workload.images"},
    {"workload.image_height", "workload.images"},
    {"workload.recording_length", "workload.recordings"},
    {"workload.input_spread", "workload.images"},
    {"workload.replicas", "workload.load_curve"},
    {"workload.phases", "workload.tokens"},
    {"workload.rollout_share", "workload.placement"},
    {"workload.staleness", "workload.placement"},
    {"workload.states", "workload.work"},
    {"workload.weight_average", "workload.work"},
    {"workload.latents", "workload.work"},
    {"keep.k", "keep.policy"},
    {"keep.per", "keep.policy"},
    {"keep.counts", "keep.policy"},
    {"allocate.grid", "allocate.core_area_share"},
    {"allocate.rounds", "allocate.core_area_share"},
    {"allocate.minimize", "allocate.core_area_share"},
    {"allocate.maximize", "allocate.core_area_share"},
};

// The variants of a table that a spec has which holds a key.
struct Shape {
  WorkloadKind kind = WorkloadKind::training;
  Variants device = derived_device;

  bool holds(const Key& key) const {
    const Variants variants = key.path.starts_with("system") ? device : of(kind);
    return (key.variants & variants) != 0;
  }
};

Shape shape_of(const Key& key) {
  Shape shape;
  if (key.path.starts_with("system")) {
    shape.device = (key.variants & derived_device) != 0 ? derived_device : catalogued_device;
    return shape;
  }
  for (const WorkloadKind kind :
       {WorkloadKind::reinforcement_learning, WorkloadKind::diffusion, WorkloadKind::recommendation,
        WorkloadKind::serving, WorkloadKind::inference, WorkloadKind::training}) {
    if ((key.variants & of(kind)) != 0) {
      shape.kind = kind;
    }
  }
  if (key.path.starts_with("prefill") || key.path.starts_with("decode")) {
    shape.device = catalogued_device;  // pools name their devices
  }
  return shape;
}

// Texts of tables, by path; lists of tables are known by their rows.
class SpecText {
 public:
  explicit SpecText(const Shape& shape) : shape_(shape) {}

  void add(const Key& key) {
    const bool table = key.kind == KeyKind::table || key.kind == KeyKind::tables;
    if (table && key.example.empty()) {
      return;
    }
    if (!keys_.try_emplace(std::string(key.path), key.example).second) {
      return;
    }
    tables_.try_emplace(std::string(key.table()));
    for (const Key& other : spec_keys()) {
      if (other.table() == key.table() && other.need == Need::required && shape_.holds(other)) {
        add(other);
      }
    }
    const auto [first, last] = companions.equal_range(key.path);
    for (auto beside = first; beside != last; ++beside) {
      if (const Key* other = find(beside->second)) {
        add(*other);
      }
    }
    if (key.path.starts_with("decode.")) {  // which takes the place of a key of [system]
      add(row("prefill.accelerators"));
      keys_.erase("system." + std::string(key.name()));
    }
  }
  void write(const std::string& path, const std::string& value) { keys_[path] = value; }
  void remove(std::string_view path) { keys_.erase(std::string(path)); }

  std::string text() const {
    std::string text;
    for (const auto& [table, nothing] : tables_) {
      if (!table.empty()) {
        const bool list = row(table).kind == KeyKind::tables;
        text += list ? "[[" + table + "]]\n" : "[" + table + "]\n";
      }
      for (const auto& [path, example] : keys_) {
        const std::size_t dot = path.rfind('.');
        const std::string own = dot == std::string::npos ? "" : path.substr(0, dot);
        if (own == table && !tables_.contains(path)) {
          text += path.substr(dot == std::string::npos ? 0 : dot + 1) + " = " + example + "\n";
        }
      }
    }
    return text;
  }

 private:
  const Key* find(std::string_view path) const {
    for (const Key& key : spec_keys()) {
      if (key.path == path && shape_.holds(key)) {
        return &key;
      }
    }
    return nullptr;
  }
  const Key& row(std::string_view path) const {
    if (const Key* key = find(path)) {
      return *key;
    }
    throw std::logic_error("no row " + std::string(path));
  }

  Shape shape_;
  std::map<std::string, std::string> keys_;
  std::map<std::string, int> tables_;
};

constexpr std::string_view phases = "workload.phases";

// Two phases with every key but one, which are in balance.
std::string phases_without(std::string_view missing) {
  std::string text;
  for (const auto& [name, share] : {std::pair("\"base\"", "0.95"), std::pair("\"long\"", "0.05")}) {
    std::vector<std::string> keys;
    for (const Key& key : spec_keys()) {
      if (key.table() == phases && key.name() != missing) {
        const std::string_view value = key.name() == "name"    ? name
                                       : key.name() == "share" ? share
                                                               : key.example;
        keys.push_back(fmt::format("{} = {}", key.name(), value));
      }
    }
    text += fmt::format("{}{{ {} }}", text.empty() ? "" : ", ", fmt::join(keys, ", "));
  }
  return "[" + text + "]";
}

// A spec that holds a key and nothing that need not be there for it.
SpecText spec_with(const Key& key) {
  const Shape shape = shape_of(key);
  SpecText spec(shape);
  for (const Key& one : spec_keys()) {
    const bool basic = one.path == "schema" || one.path == "workload.kind" ||
                       one.path == "system.accelerators" ||
                       (one.path == "system.device.template" && shape.device == derived_device);
    if (basic) {
      spec.add(one);
    }
  }
  spec.add(key.table() == phases ? spec_key(phases) : key);
  if (key.table() == phases) {
    spec.write(std::string(phases), phases_without(""));
  }
  if (key.table() == "search") {  // which goes between values
    spec.write("system.device.die_area", "{ from = \"400 mm2\", to = \"800 mm2\", values = 5 }");
  }
  if (key.path == "search.first_values") {  // of what else is not looked for
    spec.write("search.find", "\"transitions\"");
  }
  if (key.table() == "run" || key.path == "run") {  // of which the workload says how long it is
    spec.write("workload.tokens", "\"15 T\"");
  }
  if (key.table() == "draws") {  // which need something to draw
    spec.write("system.device.die_area", "{ mean = \"600 mm2\", spread = 0.1 }");
  }
  // Keys that take the place of another.
  for (const Key& one : spec_keys()) {
    const std::string other = std::string(one.table()) + "." + std::string(one.unless);
    if (!one.unless.empty() && (one.unless == key.name() || other == key.table())) {
      spec.remove(one.path);
    }
  }
  return spec;
}

std::string with_kind(std::string text, WorkloadKind kind) {
  const std::string training = "kind = \"training\"";
  if (const std::size_t at = text.find(training); at != std::string::npos) {
    const std::string name(parallel::workload_kind_names[kind]);
    text.replace(at, training.size(), "kind = \"" + name + "\"");
  }
  return text;
}

TEST(SpecKeys, EveryRowIsReadAsItsExampleShows) {
  for (const Key& key : spec_keys()) {
    const std::string text = with_kind(spec_with(key).text(), shape_of(key).kind);
    Diagnostics diagnostics;
    EXPECT_TRUE(read_spec("a.toml", text, diagnostics)) << key.path;
    EXPECT_EQ(diagnostics.text(), "") << key.path << " in\n" << text;
  }
}

TEST(SpecKeys, WhatIsRequiredIsMissed) {
  for (const Key& key : spec_keys()) {
    if (key.need != Need::required || key.kind == KeyKind::table) {
      continue;
    }
    SpecText spec = spec_with(key);
    spec.remove(key.path);
    if (key.table() == phases) {
      spec.write(std::string(phases), phases_without(key.name()));
    }
    const std::string text = with_kind(spec.text(), shape_of(key).kind);
    if (text.find("[" + std::string(key.path) + "]") != std::string::npos) {
      continue;  // there as a table
    }
    Diagnostics diagnostics;
    EXPECT_FALSE(read_spec("a.toml", text, diagnostics)) << key.path;
    EXPECT_NE(diagnostics.text().find(key.name()), std::string::npos)
        << key.path << ": " << diagnostics.text();
  }
}

TEST(SpecKeys, SayAllThatAReaderOfThemNeeds) {
  for (const Key& key : spec_keys()) {
    EXPECT_FALSE(key.description.empty()) << key.path;
    EXPECT_FALSE(key.description.ends_with('.')) << key.path;
    const bool holds_keys = key.kind == KeyKind::table || key.kind == KeyKind::tables;
    EXPECT_TRUE(!key.example.empty() || holds_keys) << key.path;
    EXPECT_TRUE(key.need == Need::required || !key.fallback.empty() || holds_keys) << key.path;
    EXPECT_TRUE(key.kind != KeyKind::quantity || key.units.empty()) << key.path;
  }
}

// A key has one row in every variant of its table.
TEST(SpecKeys, RowsOfOneKeyAreOfDifferentVariants) {
  const std::span<const Key> keys = spec_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = i + 1; j < keys.size(); ++j) {
      EXPECT_TRUE(keys[i].path != keys[j].path || (keys[i].variants & keys[j].variants) == 0)
          << keys[i].path;
    }
  }
}

TEST(SpecKeys, StandInOneTableOfTheBook) {
  std::map<std::string_view, std::set<std::string_view>> shown;
  for (const config::KeyGroup& group : spec_book().groups) {
    for (const config::KeyEntry& entry : config::entries_of(group, spec_book())) {
      shown[entry.key->path].insert(group.name);
    }
  }
  for (const Key& key : spec_keys()) {
    EXPECT_FALSE(shown[key.path].empty()) << key.path;
  }
}

}  // namespace
}  // namespace scalesweep::space
