// JSON, TOML and YAML as keys with values.
#include <fmt/format.h>
#include <yaml.h>

#include <toml++/toml.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/diagnostic.hpp"
#include "core/documents/foreign.hpp"
#include "core/failure.hpp"
#include "deploy/import/given_keys.hpp"

namespace scalesweep::deploy {
namespace {

using nlohmann::json;

std::string inside(const std::string& table, const std::string& name) {
  return table.empty() ? name : fmt::format("{}.{}", table, name);
}

void add_json(const std::string& name, const json& value, GivenKeys& keys) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      add_json(inside(name, key), member, keys);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_structured()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_json(fmt::format("{}[{}]", name, i), value[i], keys);
    }
  } else {
    keys.add(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

void add_toml(const std::string& name, const toml::node& node, GivenKeys& keys) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, member] : *table) {
      add_toml(inside(name, std::string(key.str())), member, keys);
    }
    return;
  }
  if (const auto* word = node.as_string()) {
    keys.add(name, word->get());
    return;
  }
  std::ostringstream text;
  node.visit([&text](const auto& value) { text << value; });
  keys.add(name, text.str());
}

// A document of libyaml, deleted with it.
struct YamlDocument {
  yaml_document_t document{};
  bool is_there = false;
  YamlDocument() = default;
  YamlDocument(const YamlDocument&) = delete;
  YamlDocument& operator=(const YamlDocument&) = delete;
  ~YamlDocument() {
    if (is_there) {
      yaml_document_delete(&document);
    }
  }
};

struct YamlParser {
  yaml_parser_t parser{};
  YamlParser() { yaml_parser_initialize(&parser); }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;
  ~YamlParser() { yaml_parser_delete(&parser); }
};

std::string scalar_of(const yaml_node_t& node) {
  // NOLINTNEXTLINE(*-reinterpret-cast): libyaml has unsigned characters.
  return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
}

void add_yaml(const std::string& name, yaml_document_t& document, int index, GivenKeys& keys) {
  const yaml_node_t* node = yaml_document_get_node(&document, index);
  if (node == nullptr) {
    return;
  }
  if (node->type == YAML_MAPPING_NODE) {
    for (const auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         ++pair) {
      const yaml_node_t* key = yaml_document_get_node(&document, pair->key);
      if (key != nullptr && key->type == YAML_SCALAR_NODE) {
        add_yaml(inside(name, scalar_of(*key)), document, pair->value, keys);
      }
    }
  } else if (node->type == YAML_SEQUENCE_NODE) {
    int i = 0;
    for (const int* item = node->data.sequence.items.start; item < node->data.sequence.items.top;
         ++item, ++i) {
      add_yaml(fmt::format("{}[{}]", name, i), document, *item, keys);
    }
  } else {
    keys.add(name, scalar_of(*node));
  }
}

[[noreturn]] void refuse_at(const SourcePosition& place, const std::string& why) {
  refuse(fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, why));
}

}  // namespace

GivenKeys keys_of_json(const std::string& file, const std::string& text) {
  GivenKeys keys(file);
  json root;
  try {
    root = parsed_json(text);
  } catch (const JsonError& problem) {
    refuse_at(position_at(file, text, problem.offset), problem.what());
  }
  if (!root.is_object()) {
    refuse(fmt::format("{}: no object of JSON", file));
  }
  add_json("", root, keys);
  return keys;
}

GivenKeys keys_of_toml(const std::string& file, const std::string& text) {
  GivenKeys keys(file);
  if (const auto deep = deep_key_of_toml(text)) {
    refuse_at(position_at(file, text, *deep),
              fmt::format("a key of more than {} parts", most_levels));
  }
  try {
    add_toml("", toml::parse(text), keys);
  } catch (const toml::parse_error& problem) {
    const toml::source_position& place = problem.source().begin;
    refuse_at({file, static_cast<int>(place.line), static_cast<int>(place.column)},
              std::string(problem.description()));
  }
  return keys;
}

GivenKeys keys_of_yaml(const std::string& file, const std::string& text) {
  GivenKeys keys(file);
  YamlParser reader;
  // NOLINTNEXTLINE(*-reinterpret-cast): libyaml has unsigned characters.
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  yaml_parser_set_input_string(&reader.parser, bytes, text.size());
  YamlDocument made;
  made.is_there = yaml_parser_load(&reader.parser, &made.document) != 0;
  if (!made.is_there) {
    const yaml_mark_t& place = reader.parser.problem_mark;
    const char* const problem = reader.parser.problem;
    refuse_at({file, static_cast<int>(place.line) + 1, static_cast<int>(place.column) + 1},
              fmt::format("no YAML: {}", problem == nullptr ? "?" : problem));
  }
  // Nodes count from 1, which is the root.
  add_yaml("", made.document, 1, keys);
  return keys;
}

}  // namespace scalesweep::deploy
