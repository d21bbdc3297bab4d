// The rows of the keys of a spec, held to the reader: each is read, and what must be there is asked
// for.
#include "space/keys/spec_keys.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "config/key_relations.hpp"
#include "space/keys/spec_book.hpp"
#include "space/read/spec_axes.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using config::KeyKind;
using config::Need;
using config::Partner;
using config::Variants;
using ::testing::HasSubstr;
using ::testing::Not;

// What must stand beside a key, where its row does not say so.
const std::multimap<std::string_view, std::string_view> companions = {
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

// Of every kind of work that has a key; pools name their devices.
std::vector<Shape> shapes_of(const Key& key) {
  const bool in_pool = key.path.starts_with("prefill") || key.path.starts_with("decode");
  std::vector<Shape> shapes;
  for (const std::string_view name : parallel::workload_kind_names) {
    const Shape shape = {*parallel::workload_kind_names.find(name),
                         in_pool ? catalogued_device : derived_device};
    if (shape.holds(key)) {
      shapes.push_back(shape);
    }
  }
  return shapes;
}

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

bool names(std::string_view relation, std::string_view key) {
  const std::vector<Partner> partners = config::partners_in(relation);
  return std::any_of(partners.begin(), partners.end(),
                     [key](const Partner& partner) { return partner.key == key; });
}

bool names_word(const std::vector<Partner>& partners, std::string_view word) {
  return std::any_of(partners.begin(), partners.end(),
                     [word](const Partner& partner) { return partner.word == word; });
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
    add_needed(key);
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
  // Another key of a table, with its word if it must have one.
  void add(const Partner& partner, std::string_view table) {
    const std::string path = fmt::format("{}.{}", table, partner.key);
    if (partner.word.empty()) {
      add(row(path));
    } else {
      write(path, fmt::format("\"{}\"", partner.word));
    }
  }
  std::vector<const Key*> rows_in(std::string_view table) const {
    std::vector<const Key*> rows = keys_in(table);
    std::erase_if(rows, [this](const Key* key) { return !shape_.holds(*key); });
    return rows;
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
  // What a key needs, and what needs it.
  void add_needed(const Key& key) {
    const std::vector<const Key*> rows = rows_in(key.table());
    if (const auto needed = config::partners_among(key.needs, rows); !needed.empty()) {
      add(needed.front(), key.table());
    }
    for (const Key* other : rows) {
      if (other->need == Need::with_others && names(other->needs, key.name())) {
        add(*other);
      }
    }
  }
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
SpecText spec_with(const Key& key, const Shape& shape) {
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

SpecText spec_with(const Key& key) {
  return spec_with(key, shape_of(key));
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
    const bool is_asked_for = key.need == Need::required || key.need == Need::with_others;
    EXPECT_TRUE(is_asked_for || !key.fallback.empty() || holds_keys) << key.path;
    EXPECT_TRUE(key.kind != KeyKind::quantity || key.units.empty()) << key.path;
  }
}

std::string said_of(const SpecText& spec, const Shape& shape) {
  Diagnostics diagnostics;
  (void)read_spec("a.toml", with_kind(spec.text(), shape.kind), diagnostics);
  return diagnostics.text();
}

// Each relation alone is a mistake that is told, in every kind that has it; with what it needs it
// is none, see above.
TEST(SpecKeys, NeedWhatTheirRowsSay) {
  int relations = 0;
  for (const Key& key : spec_keys()) {
    for (const Shape& shape : shapes_of(key)) {
      SpecText spec = spec_with(key, shape);
      const auto needed = config::partners_among(key.needs, spec.rows_in(key.table()));
      if (needed.empty()) {
        continue;
      }
      ++relations;
      EXPECT_THAT(said_of(spec, shape), Not(HasSubstr("error"))) << key.path << " in\n"
                                                                 << spec.text();
      for (const Partner& partner : needed) {
        const std::string path = fmt::format("{}.{}", key.table(), partner.key);
        const Key& row =
            spec_key(path, key.path.starts_with("system") ? shape.device : of(shape.kind));
        spec.remove(path);
        if (!partner.word.empty()) {
          const auto other =
              std::find_if(row.words.begin(), row.words.end(),
                           [&](std::string_view word) { return !names_word(needed, word); });
          ASSERT_NE(other, row.words.end()) << path;
          spec.write(path, fmt::format("\"{}\"", *other));
        }
      }
      EXPECT_THAT(said_of(spec, shape), HasSubstr(fmt::format("error: '{}' goes with {}",
                                                              key.name(), config::text_of(needed))))
          << key.path;
    }
  }
  EXPECT_GT(relations, 25);
}

TEST(SpecKeys, AreMissedByWhatNeedsThem) {
  int relations = 0;
  for (const Key& key : spec_keys()) {
    for (const Shape& shape : shapes_of(key)) {
      if (key.need != Need::with_others) {
        continue;
      }
      SpecText spec = spec_with(key, shape);
      const auto needed = config::partners_among(key.needs, spec.rows_in(key.table()));
      spec.remove(key.path);
      EXPECT_THAT(said_of(spec, shape),
                  HasSubstr(fmt::format("error: '{}' needs {} (", needed.front().key, key.name())))
          << key.path;
      ++relations;
    }
  }
  EXPECT_GE(relations, 6);
}

TEST(SpecKeys, ExcludeWhatTheirRowsSay) {
  int relations = 0;
  for (const Key& key : spec_keys()) {
    for (const Shape& shape : shapes_of(key)) {
      const SpecText alone = spec_with(key, shape);
      for (const Partner& other :
           config::partners_among(key.excludes, alone.rows_in(key.table()))) {
        SpecText spec = alone;
        spec.add(other, key.table());
        EXPECT_THAT(said_of(spec, shape),
                    HasSubstr(other.key == key.unless
                                  ? fmt::format("error: '{}' is said by '{}' already; leave one "
                                                "of them out",
                                                key.name(), other.key)
                                  : fmt::format("error: '{}' does not go with {}", key.name(),
                                                config::text_of({&other, 1}))))
            << key.path;
        ++relations;
      }
    }
  }
  EXPECT_GT(relations, 10);
}

// Of what a relation names there is a row in the table, and of its words one.
TEST(SpecKeys, NameKeysOfTheirTable) {
  for (const Key& key : spec_keys()) {
    for (const std::string_view relation : {key.needs, key.excludes}) {
      for (const Partner& partner : config::partners_in(relation)) {
        const std::string path = fmt::format("{}.{}", key.table(), partner.key);
        const Key* const row = config::KeyScope{spec_keys(), ""}.find(path);
        ASSERT_NE(row, nullptr) << key.path << " names " << path;
        EXPECT_TRUE(partner.word.empty() || std::find(row->words.begin(), row->words.end(),
                                                      partner.word) != row->words.end())
            << key.path << " names " << partner.word;
      }
    }
    EXPECT_TRUE(key.because.empty() || !key.needs.empty() || !key.excludes.empty()) << key.path;
    EXPECT_TRUE(key.need != Need::with_others || !key.needs.empty()) << key.path;
  }
}

// What an axis is does not depend on the kind of work.
TEST(SpecKeys, OfOneAxisAreAskedAndNameAlike) {
  std::map<std::string_view, const Key*> first;
  for (const Key& key : spec_keys()) {
    if (key.axis.empty()) {
      EXPECT_FALSE(key.asked || !key.names.section.empty()) << key.path;
      continue;
    }
    const Key& other = *first.try_emplace(key.axis, &key).first->second;
    EXPECT_EQ(key.asked, other.asked) << key.path;
    EXPECT_EQ(key.names.section, other.names.section) << key.path;
    EXPECT_EQ(key.names.noun, other.names.noun) << key.path;
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
