#include "catalog/import/json_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/documents/foreign.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using nlohmann::json;

// Beyond it no size of a model makes sense, and products of two stay whole numbers.
constexpr std::int64_t largest_integer = 1'000'000'000;

// Where a key stands: "key" with a colon behind it.
std::optional<std::size_t> offset_of(const std::string& text, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  for (std::size_t at = text.find(quoted); at != std::string::npos;
       at = text.find(quoted, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != std::string::npos && text[next] == ':') {
      return at;
    }
  }
  return std::nullopt;
}

std::string allowed_integer(std::int64_t at_least) {
  return fmt::format("a whole number from {} to {}", at_least, with_thousands(largest_integer));
}

bool is_integer(const json& value, std::int64_t at_least) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number >= static_cast<std::uint64_t>(at_least) &&
           number <= static_cast<std::uint64_t>(largest_integer);
  }
  return value.is_number_integer() && value.get<std::int64_t>() >= at_least;
}

}  // namespace

JsonConfig::JsonConfig(std::string file, std::string text, json object, Diagnostics& diagnostics)
    : file_(std::move(file)),
      text_(std::move(text)),
      object_(std::move(object)),
      diagnostics_(&diagnostics) {}

std::optional<JsonConfig> JsonConfig::parse(const std::string& file, const std::string& text,
                                            Diagnostics& diagnostics) {
  json object;
  try {
    object = parsed_json(text);
  } catch (const JsonError& problem) {
    diagnostics.error(position_at(file, text, problem.offset),
                      fmt::format("{}; give the config.json of a published model", problem.what()));
    return std::nullopt;
  }
  if (!object.is_object()) {
    diagnostics.error({file, 1, 1},
                      fmt::format("holds {} and not an object of keys; give the config.json of a "
                                  "published model",
                                  object.type_name()));
    return std::nullopt;
  }
  return JsonConfig(file, text, std::move(object), diagnostics);
}

const json* JsonConfig::find(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonConfig::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::vector<std::string> JsonConfig::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : object_.items()) {
    names.push_back(key);
  }
  return names;
}

std::string JsonConfig::plain_text(std::string_view key) const {
  const json* value = find(key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

SourcePosition JsonConfig::position(std::string_view key) const {
  const std::optional<std::size_t> offset = offset_of(text_, key);
  return offset ? position_at(file_, text_, *offset) : SourcePosition{file_, 0, 0};
}

void JsonConfig::error(std::string_view key, const std::string& message) const {
  diagnostics_->error(position(key), message);
}

void JsonConfig::warning(std::string_view key, const std::string& message) const {
  diagnostics_->warning(position(key), message);
}

void JsonConfig::wrong(std::string_view key, const json& value, const std::string& allowed) const {
  std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t longest = 40;
  if (shown.size() > longest) {
    shown = value.is_object() ? "an object" : value.is_array() ? "a list" : "a long text";
  }
  error(key, fmt::format("'{}' must be {}, not {}", key, allowed, shown));
}

std::int64_t JsonConfig::integer(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (has(key)) {
      return integer(key, 1);
    }
  }
  const std::vector<std::string> names(keys.begin(), keys.end());
  error(names.front(),
        fmt::format("missing key '{}'; it must be {}", join(names, "' or '"), allowed_integer(1)));
  return 1;
}

std::int64_t JsonConfig::integer(std::string_view key, std::int64_t usual,
                                 std::int64_t at_least) const {
  const json* value = find(key);
  if (value == nullptr) {
    return usual;
  }
  if (!is_integer(*value, at_least)) {
    wrong(key, *value, allowed_integer(at_least));
    return usual;
  }
  return value->get<std::int64_t>();
}

double JsonConfig::number(std::string_view key, double usual) const {
  const json* value = find(key);
  if (value == nullptr) {
    return usual;
  }
  if (!value->is_number() || value->get<double>() < 0.0) {
    wrong(key, *value, "a number that is not negative");
    return usual;
  }
  return value->get<double>();
}

bool JsonConfig::boolean(std::string_view key, bool usual) const {
  const json* value = find(key);
  if (value == nullptr) {
    return usual;
  }
  if (!value->is_boolean()) {
    wrong(key, *value, "true or false");
    return usual;
  }
  return value->get<bool>();
}

std::string JsonConfig::text(std::string_view key) const {
  if (!has(key)) {
    error(key, fmt::format("missing key '{}'; it must be a text", key));
    return "";
  }
  if (const json& value = *find(key);
      value.is_string() && value.get_ref<const std::string&>().empty()) {
    wrong(key, value, "a text that is not empty");
  }
  return text(key, "");
}

std::string JsonConfig::text(std::string_view key, const std::string& usual) const {
  const json* value = find(key);
  if (value == nullptr) {
    return usual;
  }
  if (!value->is_string()) {
    wrong(key, *value, "a text");
    return usual;
  }
  return value->get<std::string>();
}

std::vector<std::int64_t> JsonConfig::integers(std::string_view key) const {
  const json* value = find(key);
  std::vector<std::int64_t> result;
  if (value == nullptr) {
    return result;
  }
  const bool good =
      value->is_array() &&
      std::all_of(value->begin(), value->end(), [](const json& v) { return is_integer(v, 0); });
  if (!good) {
    wrong(key, *value, "a list of layers, counted from 0");
    return result;
  }
  return value->get<std::vector<std::int64_t>>();
}

std::vector<std::string> JsonConfig::texts(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) {
    return {};
  }
  const bool good = value->is_array() && std::all_of(value->begin(), value->end(),
                                                     [](const json& v) { return v.is_string(); });
  if (!good) {
    wrong(key, *value, "a list of texts, one a layer");
    return {};
  }
  return value->get<std::vector<std::string>>();
}

JsonConfig JsonConfig::inside(std::string_view key) const {
  const json* value = find(key);
  json object = json::object();
  if (value != nullptr && value->is_object()) {
    object = *value;
  } else if (value != nullptr) {
    wrong(key, *value, "an object of keys");
  }
  return {file_, text_, std::move(object), *diagnostics_};
}

}  // namespace scalesweep::catalog
