#include "deploy/parts/documents.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/documents/escapes.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"

namespace scalesweep::deploy {
namespace {

using Json = nlohmann::ordered_json;

// A text that would be a number stands in quotes.
Json json_of(const std::string& value) {
  if (value.starts_with('"') && Json::accept(value)) {
    return Json::parse(value);
  }
  return kind_of(value) == ValueKind::text ? Json(value) : Json::parse(value);
}

toml::array list_of(const Json& values);
toml::table members_of(const Json& values);

// What TOML has of a value: no null.
template <typename Add>
void add_value(const Json& value, const Add& add) {
  if (value.is_boolean()) {
    add(value.get<bool>());
  } else if (value.is_number_integer()) {
    add(value.get<std::int64_t>());
  } else if (value.is_number()) {
    add(value.get<double>());
  } else if (value.is_array()) {
    add(list_of(value));
  } else if (value.is_object()) {
    add(members_of(value));
  } else {
    add(value.get<std::string>());
  }
}

toml::array list_of(const Json& values) {
  toml::array list;
  for (const Json& item : values) {
    add_value(item, [&](const auto& one) { list.push_back(one); });
  }
  return list;
}

toml::table members_of(const Json& values) {
  toml::table table;
  for (const auto& [key, item] : values.items()) {
    add_value(item, [&table, &key = key](const auto& one) { table.insert_or_assign(key, one); });
  }
  return table;
}

toml::table table_of(std::span<const Flag> flags) {
  toml::table root;
  for (const Flag& flag : flags) {
    if (flag.file.empty()) {
      continue;
    }
    toml::table* at = &root;
    std::string rest = flag.name;
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      at = at->insert(rest.substr(0, dot), toml::table()).first->second.as_table();
      rest.erase(0, dot + 1);
    }
    add_value(json_of(flag.value), [&](const auto& value) { at->insert_or_assign(rest, value); });
  }
  return root;
}

void add_yaml(std::string& out, const toml::node& node, std::size_t columns) {
  constexpr std::size_t step = 2;
  const std::string line = "\n" + std::string(columns, ' ');
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      out += line + yaml_word(std::string(key.str())) + ": ";
      add_yaml(out, value, columns + step);
    }
  } else if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) {
      out += line + "- ";
      add_yaml(out, item, columns + step);
    }
  } else if (const auto* text = node.as_string()) {
    out += yaml_word(text->get());
  } else {
    std::ostringstream number;
    node.visit([&](const auto& value) { number << value; });
    // The shortest that reads as the same number: 0.9, not 0.90000000000000002.
    std::string written =
        node.is_floating_point() ? fmt::format("{}", **node.as_floating_point()) : number.str();
    // Without a point YAML 1.1 takes 1e-08 for a text.
    const std::size_t exponent = written.find('e');
    if (node.is_floating_point() && exponent != std::string::npos &&
        written.find('.') == std::string::npos) {
      written.insert(exponent, ".0");
    }
    out += written;
  }
}

// Words of a comment of at most 80 columns.
std::string comment(const std::string& text) {
  std::string lines;
  std::string line = "#";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > 80 && line.size() > 3) {
      lines += line + "\n";
      line = "#  ";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

}  // namespace

ValueKind kind_of(const std::string& value) {
  static const std::regex number(R"(-?\d+(\.\d+)?(e-?\d+)?)");
  if (value == "true" || value == "false") {
    return ValueKind::truth;
  }
  if (std::regex_match(value, number)) {
    return ValueKind::number;
  }
  const bool list = value.starts_with('[') && Json::accept(value);
  return list ? ValueKind::list : ValueKind::text;
}

std::string document(std::span<const Flag> flags, Language language) {
  const toml::table table = table_of(flags);
  std::ostringstream out;
  switch (language) {
    case Language::toml:
      out << toml::toml_formatter(
          table, toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings);
      break;
    case Language::yaml: {
      std::string text;
      add_yaml(text, table, 0);
      out << text.substr(text.starts_with('\n') ? 1 : 0);
      break;
    }
    case Language::json: {
      std::ostringstream plain;
      plain << toml::json_formatter(table);
      out << nlohmann::json::parse(plain.str()).dump(2);
      break;
    }
  }
  return out.str() + "\n";
}

std::string option_word(const std::string& value) {
  // Of what the shell puts something in for, these forms alone: names of users are words.
  static const std::regex variable(
      R"(\$\w+|\$\{\w+:-\w+\}|\$\{\w+%:\*\}|\$\(\(\d+ \* NODE_RANK\)\))");
  return std::regex_match(value, variable) ? "\"" + value + "\"" : shell_word(value);
}

std::string command_line(const std::string& program, std::span<const Flag> flags) {
  std::string line;
  for (const Flag& flag : flags) {
    if (flag.is_variable) {
      line += flag.name + "=" + option_word(flag.value) + " ";
    }
  }
  line += program;
  for (const Flag& flag : flags) {
    if (!flag.file.empty() || flag.is_variable) {
      continue;
    }
    line += " \\\n  " + flag.name;
    if (flag.name.ends_with('=')) {
      line += option_word(flag.value);
    } else if (!flag.value.empty()) {
      line += " " + option_word(flag.value);
    }
  }
  return line + "\n";
}

std::string script(const Deployment& deployment) {
  std::string text = comment(fmt::format("{} {}: options as {} has them at {}", deployment.target,
                                         deployment.version, deployment.source, deployment.commit));
  for (const MemoryCheck& check : deployment.memory) {
    text += comment(check.text);
  }
  for (const std::string& note : deployment.notes) {
    text += comment(note);
  }
  for (const File& file : deployment.files) {
    text += fmt::format("\ncat > {} <<'END_OF_FILE'\n{}END_OF_FILE\n", file.name, file.content);
  }
  return text + "\n" + (deployment.submit.empty() ? deployment.command : deployment.submit);
}

}  // namespace scalesweep::deploy
