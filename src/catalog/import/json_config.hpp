// The config.json of a published model as keys that are read with what is allowed for each.
// Mistakes become diagnostics at the place of the key. Internal to the layer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

class JsonConfig {
 public:
  // Nothing, and a diagnostic, where the text is not JSON or no object. `diagnostics` must outlive
  // the config.
  static std::optional<JsonConfig> parse(const std::string& file, const std::string& text,
                                         Diagnostics& diagnostics);

  // Whether the key is there with a value; null counts as absent.
  bool has(std::string_view key) const;

  // Required: what is missing or wrong is reported, and 1 comes back. The first of several
  // spellings that is there counts.
  std::int64_t integer(std::initializer_list<std::string_view> keys) const;
  std::int64_t integer(std::string_view key) const { return integer({key}); }
  std::string text(std::string_view key) const;

  // With a default: what is wrong is reported.
  std::int64_t integer(std::string_view key, std::int64_t usual, std::int64_t at_least = 1) const;
  double number(std::string_view key, double usual) const;  // not negative
  bool boolean(std::string_view key, bool usual) const;
  std::string text(std::string_view key, const std::string& usual) const;
  std::vector<std::int64_t> integers(std::string_view key) const;  // of layers; empty if absent
  std::vector<std::string> texts(std::string_view key) const;      // one a layer; empty if absent

  // An object inside; empty if absent.
  JsonConfig inside(std::string_view key) const;
  std::size_t size() const { return object_.size(); }

  // Names of the keys, by the alphabet.
  std::vector<std::string> keys() const;
  // The text; "" of what is none or is not there.
  std::string plain_text(std::string_view key) const;

  void error(std::string_view key, const std::string& message) const;
  void warning(std::string_view key, const std::string& message) const;

 private:
  JsonConfig(std::string file, std::string text, nlohmann::json object, Diagnostics& diagnostics);

  SourcePosition position(std::string_view key) const;
  const nlohmann::json* find(std::string_view key) const;
  void wrong(std::string_view key, const nlohmann::json& value, const std::string& allowed) const;

  std::string file_;
  std::string text_;
  nlohmann::json object_;
  Diagnostics* diagnostics_;
};

}  // namespace scalesweep::catalog
