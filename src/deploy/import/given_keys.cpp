#include "deploy/import/given_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::deploy {
namespace {

constexpr std::string_view argument_dots = " ...";

// Words of a shell, without quotes around them. The end of a line is a word of its own, but behind
// a backslash.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  char quote = '\0';
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool starts_word = words.back().empty() && quote == '\0';
    if (comment || (c == '#' && starts_word)) {
      comment = c != '\n';
      if (!comment) {
        words.emplace_back("\n");
        words.emplace_back();
      }
    } else if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
      words.back() += quote == '\0' ? "" : std::string(1, c);
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '\\' && i + 1 < text.size()) {
      words.back() += text[++i] == '\n' ? "" : std::string(1, text[i]);
      if (text[i] == '\n') {
        words.emplace_back();
      }
    } else if (c == '\n') {
      words.emplace_back("\n");
      words.emplace_back();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '(' || c == ')' || c == ';') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

bool is_option(const std::string& word) {
  return word.size() > 2 && word.starts_with("--");
}

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// An option of a command stands before the program that it starts: "8 pretrain_gpt.py".
std::string_view first_word(const std::string& value) {
  return std::string_view(value).substr(0, value.find(' '));
}

}  // namespace

void GivenKeys::add(const std::string& name, const std::string& value) {
  // The last of options that stand twice counts.
  if (Key* known = find(name)) {
    known->value = value;
  } else {
    keys_.push_back({name, value});
  }
}

GivenKeys::Key* GivenKeys::find(std::string_view name) {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [name](const Key& key) { return key.name == name; });
  return found == keys_.end() ? nullptr : &*found;
}

bool GivenKeys::has(std::string_view name) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [name](const Key& key) { return key.name == name; });
}

bool GivenKeys::is_read(std::string_view name) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [name](const Key& key) { return key.name == name && key.is_read; });
}

bool GivenKeys::has_table(std::string_view prefix) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [prefix](const Key& key) { return key.name.starts_with(prefix); });
}

void GivenKeys::wrong(const Key& key, std::string_view allowed) const {
  refuse(fmt::format("{}: {} is '{}'; it must be {}", file_, key.name, key.value, allowed));
}

std::optional<std::string> GivenKeys::text(std::string_view name) {
  Key* const key = find(name);
  if (key == nullptr) {
    return std::nullopt;
  }
  key->is_read = true;
  return key->value;
}

std::optional<double> GivenKeys::number(std::string_view name) {
  Key* const key = find(name);
  if (key == nullptr) {
    return std::nullopt;
  }
  key->is_read = true;
  const auto value = number_of(first_word(key->value));
  if (!value) {
    wrong(*key, "a number");
  }
  return value;
}

std::optional<std::int64_t> GivenKeys::integer(std::string_view name) {
  constexpr double most = 1e12;
  const auto value = number(name);
  if (value && (*value < 1.0 || *value > most || *value != std::floor(*value))) {
    wrong(*find(name), "a whole number, 1 or more");
  }
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

bool GivenKeys::truth(std::string_view name) {
  Key* const key = find(name);
  if (key == nullptr) {
    return false;
  }
  key->is_read = true;
  std::string word(first_word(key->value));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "true" || word == "1" || word == "yes") {
    return true;
  }
  // What follows a switch is the program, or nothing.
  return word != "false" && word != "0" && word != "no" && word != "none";
}

std::vector<std::string> GivenKeys::unread() const {
  std::vector<std::string> names;
  for (const Key& key : keys_) {
    if (!key.is_read) {
      names.push_back(key.value.empty() ? key.name : fmt::format("{} = {}", key.name, key.value));
    }
  }
  return names;
}

GivenKeys keys_of_command(const std::string& file, const std::string& text) {
  GivenKeys keys(file);
  std::string name;
  std::string value;
  const auto finish = [&] {
    if (!name.empty()) {
      keys.add(name, value);
    }
  };
  for (const std::string& word : words_of(text)) {
    if (is_option(word)) {
      finish();
      const std::size_t equals = word.find('=');
      name = word.substr(0, equals);
      value = equals == std::string::npos ? "" : word.substr(equals + 1);
    } else if (word == "\n") {
      finish();
      name.clear();
    } else if (!name.empty()) {
      value += (value.empty() ? "" : " ") + word;
    }
  }
  finish();
  return keys;
}

GivenKeys keys_of_argument_log(const std::string& file, const std::string& text) {
  GivenKeys keys(file);
  for (const std::string& line : split(text, '\n')) {
    const std::size_t dots = line.find(argument_dots);
    const std::size_t end =
        dots == std::string::npos ? dots : line.find_first_not_of('.', dots + argument_dots.size());
    if (end == std::string::npos || line[end] != ' ') {
      continue;
    }
    // A rank may stand in front: "[rank 0]  hidden_size ...".
    std::string name(trim(line.substr(0, dots)));
    name = name.substr(name.find_last_of(" :]") + 1);
    const std::string value(trim(line.substr(end)));
    if (!name.empty() && value != "None" && value != "False") {
      std::replace(name.begin(), name.end(), '_', '-');
      keys.add("--" + name, value == "True" ? "" : value);
    }
  }
  return keys;
}

}  // namespace scalesweep::deploy
