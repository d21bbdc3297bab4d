#include "config/key_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "config/key_relations.hpp"
#include "core/text.hpp"

namespace scalesweep::config {
namespace {

using Json = nlohmann::ordered_json;

std::string without_ticks(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '`');
  return plain;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  if (const std::size_t at = text.find(from); at != std::string::npos) {
    text.replace(at, from.size(), to);
  }
}

// A number and one of the units, as parse_quantity takes them.
std::string quantity_pattern(const Key& key) {
  std::vector<std::string> units = split(accepted_units(key.dimension), ',');
  for (std::string& unit : units) {
    unit = std::string(trim(unit));
    replace(unit, "$", "\\$");
    replace(unit, "2", "[2²]");
    if (unit.starts_with("u")) {
      replace(unit, "u", "[uµμ]");
    }
  }
  const std::string number =
      fmt::format("\\s*[0-9.]+([eE][+-]?[0-9]+)?\\s*({})\\s*", join(units, "|"));
  return key.none ? fmt::format("^(none|{})$", number) : fmt::format("^{}$", number);
}

// Of its pattern among the definitions.
std::string quantity_name(const Key& key) {
  std::string name = dimension_name(key.dimension) + (key.none ? "_or_none" : "");
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

Json bounded(std::string_view type, const NumberRange& range) {
  Json schema = {{"type", type}};
  schema[range.low_included ? "minimum" : "exclusiveMinimum"] = range.low;
  if (range.high) {
    schema[range.high_included ? "maximum" : "exclusiveMaximum"] = *range.high;
  }
  return schema;
}

Json integer_schema(const Key& key) {
  if (key.range.high || key.range.low_included) {
    return bounded("integer", key.range);
  }
  return {{"type", "integer"}, {"minimum", key.zero ? 0 : 1}};
}

Json any_of(std::vector<Json> choices) {
  return choices.size() == 1 ? choices.front() : Json{{"anyOf", choices}};
}

Json one_or_list(const Json& item) {
  return any_of({item, {{"type", "array"}, {"items", item}, {"minItems", 1}}});
}

Json object_of(const Json& properties, std::vector<std::string> required) {
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) {
    schema["required"] = std::move(required);
  }
  return schema;
}

Json sizes_schema() {
  const Json size = {{"type", "integer"}, {"minimum", 1}};
  return any_of({{{"const", "divisors"}},
                 one_or_list(size),
                 object_of({{"powers_of_two_to", size}}, {"powers_of_two_to"}),
                 object_of({{"divisors_to", size}}, {"divisors_to"})});
}

// One value, which is no table of keys.
Json scalar_schema(const Key& key) {
  std::vector<Json> choices;
  if (!key.words.empty()) {
    choices.push_back({{"enum", std::vector<std::string>(key.words.begin(), key.words.end())}});
  }
  switch (key.kind) {
    case KeyKind::integer:
      choices.push_back(integer_schema(key));
      break;
    case KeyKind::number:
      choices.push_back(bounded("number", key.range));
      break;
    case KeyKind::quantity:
      choices.push_back({{"$ref", "#/definitions/" + quantity_name(key)}});
      break;
    case KeyKind::truth:
      choices.push_back({{"type", "boolean"}});
      break;
    case KeyKind::range:
      choices.push_back(object_of(
          {{"from", bounded("number", open_share)}, {"to", bounded("number", open_share)}},
          {"from", "to"}));
      break;
    case KeyKind::sizes:
      choices.push_back(sizes_schema());
      break;
    default:
      if (choices.empty()) {
        choices.push_back({{"type", "string"}});
      }
  }
  return any_of(choices);
}

// { from = ..., to = ..., values = ... }
Json steps_schema(const Key& key) {
  const Json end = scalar_schema(key);
  return object_of({{"from", end}, {"to", end}, {"values", {{"type", "integer"}, {"minimum", 2}}}},
                   {"from", "to", "values"});
}

// What is written for a default, where it is a value and not words about it.
Json default_value(std::string_view text) {
  return text != unquoted(text) ? Json(unquoted(text)) : Json::parse(text, nullptr, false);
}

// That a key stands there, with its word where it needs one.
Json holds(const Partner& partner, KeyRows rows) {
  const std::string name(partner.key);
  if (partner.word.empty()) {
    return {{"required", {name}}};
  }
  const Json word = {{"const", partner.word}};
  Json schema = {{"properties", {{name, any_of({word, {{"type", "array"}, {"contains", word}}})}}}};
  if (unquoted(row_of(partner.key, rows)->fallback) != partner.word) {
    schema["required"] = {name};
  }
  return schema;
}

Json any_of_them(std::span<const Partner> partners, KeyRows rows) {
  std::vector<Json> choices;
  for (const Partner& partner : partners) {
    choices.push_back(holds(partner, rows));
  }
  return any_of(choices);
}

// What must, and must not, stand beside each key of a table, where it says so; those of every
// variant, or of some.
Json dependencies(KeyRows rows, bool of_every_variant) {
  std::map<std::string, std::vector<Json>> found;
  for (const Key* key : rows) {
    if ((key->variants == every_variant) != of_every_variant) {
      continue;
    }
    const std::string name(key->name());
    const std::vector<Partner> needed = partners_among(key->needs, rows);
    if (!needed.empty()) {
      found[name].push_back(any_of_them(needed, rows));
    }
    for (const Partner& other : needed) {
      if (key->need == Need::with_others) {
        found[std::string(other.key)].push_back(holds({key->name()}, rows));
      }
    }
    if (const auto excluded = partners_among(key->excludes, rows); !excluded.empty()) {
      found[name].push_back({{"not", any_of_them(excluded, rows)}});
    }
  }
  Json schema = Json::object();
  for (const auto& [name, rules] : found) {
    schema[name] = rules.size() == 1 ? rules.front() : Json{{"allOf", rules}};
  }
  return schema;
}

std::vector<const Key*> rows_in(const KeyScope& scope) {
  std::vector<const Key*> rows;
  for (const std::string& name : scope.names()) {
    rows.push_back(scope.find(name));
  }
  return rows;
}

class SchemaWriter {
 public:
  // `notes`: rows of what a value may have beside it; none: a value stands alone.
  explicit SchemaWriter(std::span<const Key> notes) : notes_(notes) {}

  Json table(const KeyScope& scope) const {
    Json properties = Json::object();
    for (const std::string& name : scope.names()) {
      properties[name] = value(scope, name);
    }
    Json schema = object_of(properties, required(scope));
    if (Json rules = dependencies(rows_in(scope), true); !rules.empty()) {
      schema["dependencies"] = std::move(rules);
    }
    if (const Key* any = scope.find("*")) {
      schema["additionalProperties"] = form(*any, {});
    }
    return schema;
  }

  // Keys that must stand in a table whichever of the variants it is of.
  static std::vector<std::string> required(const KeyScope& scope) {
    std::vector<std::string> names;
    for (const std::string& name : scope.names()) {
      const std::vector<const Key*> rows = rows_of(scope, name);
      Variants variants = 0;
      bool always = true;
      for (const Key* row : rows) {
        variants |= row->variants;
        always = always && row->need == Need::required && row->unless.empty();
      }
      if (always && (variants & scope.variants) == scope.variants) {
        names.push_back(name);
      }
    }
    return names;
  }

 private:
  static std::vector<const Key*> rows_of(const KeyScope& scope, const std::string& name) {
    std::vector<const Key*> rows;
    for (const Key& key : scope.keys) {
      if (key.path == scope.prefix + name && (key.variants & scope.variants) != 0) {
        rows.push_back(&key);
      }
    }
    return rows;
  }

  Json value(const KeyScope& scope, const std::string& name) const {
    const std::vector<const Key*> rows = rows_of(scope, name);
    Json schema = form(*rows.front(), scope.inside(name));
    std::vector<std::string> texts;
    for (const Key* row : rows) {
      std::string text = without_ticks(row->description);
      if (!row->example.empty()) {
        text += fmt::format("\nExample: {} = {}", name, row->example);
      }
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
        texts.push_back(text);
      }
    }
    if (schema.contains("$ref")) {
      schema = {{"allOf", {schema}}};  // beside a reference nothing else counts
    }
    schema["description"] = join(texts, "\n");
    const Json standard = default_value(rows.front()->fallback);
    if (rows.size() == 1 && !standard.is_discarded() && !rows.front()->fallback.empty()) {
      schema["default"] = standard;
    }
    return schema;
  }

  Json form(const Key& key, const KeyScope& inside) const {
    const Json object = inside.keys.empty() ? Json{{"type", "object"}} : table(inside);
    switch (key.kind) {
      case KeyKind::table:
        return object;
      case KeyKind::tables:
        return key.list ? one_or_list(object) : Json{{"type", "array"}, {"items", object}};
      case KeyKind::file_or_tables:
        return any_of({Json{{"type", "string"}}, one_or_list(object)});
      case KeyKind::name_or_table:
        return any_of({one_or_list(scalar_schema(key)), object});
      case KeyKind::names_or_tables:
        return one_or_list(any_of({scalar_schema(key), object}));
      default:
        break;
    }
    for (const Key& note : notes_) {
      if (note.name() == key.name() && note.description == key.description) {
        return {{"$ref", reference(note)}};
      }
    }
    const Json scalar = scalar_schema(key);
    Json plain = key.list ? one_or_list(scalar) : scalar;
    if (key.continuous) {
      plain = any_of({plain, steps_schema(key)});
    }
    if (key.uncertain) {
      plain =
          any_of({plain, object_of({{"mean", scalar}, {"spread", bounded("number", above_zero)}},
                                   {"mean", "spread"})});
    }
    return notes_.empty() ? plain : any_of({plain, with_notes(plain)});
  }

  Json with_notes(const Json& plain) const {
    Json properties = {{"value", plain}};
    for (const Key& note : notes_) {
      properties[std::string(note.name())] = {{"$ref", reference(note)}};
    }
    return object_of(properties, {"value"});
  }

  static std::string reference(const Key& note) {
    return "#/definitions/" + std::string(note.name());
  }

  std::span<const Key> notes_;
};

// With what is said once and referred to: the quantities of `keys`, and the notes.
Json head(std::string_view title, std::span<const Key> keys, std::span<const Key> notes) {
  Json definitions = Json::object();
  for (const Key& key : keys) {
    if (key.kind == KeyKind::quantity) {
      definitions[quantity_name(key)] = {{"type", "string"}, {"pattern", quantity_pattern(key)}};
    }
  }
  for (const Key& note : notes) {
    definitions[std::string(note.name())] = scalar_schema(note);
  }
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", title},
          {"definitions", definitions}};
}

// Where the choice is made, as a condition on the whole file.
Json condition(const SchemaCase& choice) {
  Json value = {{"const", choice.word}};
  if (choice.word == a_table) {
    value = {{"type", "object"}};
  } else if (choice.word == no_table) {
    value = {{"not", {{"type", "object"}}}};
  }
  const auto holding = [](std::string_view name, const Json& schema) {
    return Json{{"properties", {{std::string(name), schema}}}, {"required", {std::string(name)}}};
  };
  return holding(choice.table, holding(choice.key, value));
}

// Keys that must stand in a table unless others do in their place.
Json either_required(const KeyScope& scope) {
  Json rules = Json::array();
  const std::vector<std::string> names = scope.names();
  const auto is_there = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : names) {
    const Key* key = scope.find(name);
    if (key != nullptr && key->need == Need::required && is_there(key->unless)) {
      rules.push_back(
          {{"anyOf", {{{"required", {name}}}, {{"required", {std::string(key->unless)}}}}}});
    }
  }
  return rules;
}

// Keys that must stand in an entry unless `unless` does in the place of all of them; null where
// there are none.
Json all_required(const KeyScope& scope, std::string_view unless) {
  std::vector<std::string> needed;
  for (const std::string& name : scope.names()) {
    const Key* key = scope.find(name);
    if (key != nullptr && key->need == Need::required && key->unless == unless) {
      needed.push_back(name);
    }
  }
  return unless.empty() || needed.empty()
             ? Json()
             : Json::array({{{"required", needed}}, {{"required", {std::string(unless)}}}});
}

// What the tables must and must not have in this case.
Json consequence(const SchemaCase& choice, std::span<const Key> keys) {
  Json tables = Json::object();
  for (const std::string_view table : choice.tables) {
    const std::string prefix = std::string(table) + ".";
    const KeyScope own = {keys, prefix, choice.variants};
    const std::vector<std::string> names = own.names();
    Json rules = Json::object();
    for (const std::string& name : KeyScope{keys, prefix}.names()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        rules["properties"][name] = false;
      }
    }
    if (const auto required = SchemaWriter::required(own); !required.empty()) {
      rules["required"] = required;
    }
    if (Json either = either_required(own); !either.empty()) {
      rules["allOf"] = std::move(either);
    }
    if (Json others = dependencies(rows_in(own), false); !others.empty()) {
      rules["dependencies"] = std::move(others);
    }
    tables[std::string(table)] = rules;
  }
  return {{"properties", tables}};
}

std::string text_of(const Json& schema) {
  return schema.dump(1) + "\n";
}

}  // namespace

std::string file_schema(std::string_view title, std::span<const Key> keys,
                        std::span<const SchemaCase> cases) {
  Json schema = head(title, keys, {});
  schema.update(SchemaWriter({}).table({keys, ""}));
  for (const SchemaCase& choice : cases) {
    schema["allOf"].push_back({{"if", condition(choice)}, {"then", consequence(choice, keys)}});
  }
  return text_of(schema);
}

std::string entries_schema(std::string_view title, std::span<const Key> top,
                           std::span<const EntryTable> tables, std::span<const Key> notes) {
  std::vector<Key> all;
  for (const EntryTable& table : tables) {
    all.insert(all.end(), table.keys.begin(), table.keys.end());
  }
  Json schema = head(title, all, notes);
  schema.update(SchemaWriter({}).table({top, ""}));
  const SchemaWriter writer(notes);
  for (const EntryTable& table : tables) {
    Json entries = writer.table({table.keys, ""});
    if (Json choices = all_required({table.keys, ""}, table.unless); !choices.is_null()) {
      entries["anyOf"] = std::move(choices);
    }
    for (int level = 0; level < table.levels; ++level) {
      entries = {{"type", "object"}, {"additionalProperties", entries}};
    }
    entries["description"] = without_ticks(table.description);
    schema["properties"][std::string(table.name)] = entries;
  }
  return text_of(schema);
}

}  // namespace scalesweep::config
