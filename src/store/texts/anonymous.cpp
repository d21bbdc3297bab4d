#include "store/texts/anonymous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/documents/foreign.hpp"
#include "core/documents/shell.hpp"
#include "core/text.hpp"
#include "store/versions/former_texts.hpp"

namespace scalesweep::store {
namespace {

enum class Treatment { left_out, line, path, traced, text };

// Of /provenance; the others have neither machines nor folders.
constexpr std::array<std::pair<std::string_view, Treatment>, 8> treatments = {
    {{"host", Treatment::left_out},
     {"environment", Treatment::left_out},
     {"slurm_job", Treatment::left_out},
     {"command", Treatment::line},
     {"spec_file", Treatment::path},
     {"requests", Treatment::traced},
     {"spec", Treatment::text},
     {"catalog", Treatment::text}}};

std::string_view last_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path.substr(path.rfind('/') + 1);
}

// The name of a file behind its folders; the value behind "--option=" alone. In a condition a sign
// of division stands between blanks.
std::string word_without_folders(std::string_view word) {
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
  const std::string_view option =
      equals == std::string_view::npos ? "" : word.substr(0, equals + 1);
  const std::string_view value = word.substr(option.size());
  const std::string_view name = last_name(value);
  const bool divides =
      value.find(" /") != std::string_view::npos || value.find("/ ") != std::string_view::npos;
  return name.empty() || divides ? std::string(word) : fmt::format("{}{}", option, name);
}

// What a trace was reduced to, with the name of its file alone: {"file": "folder/trace.csv", ...};
// "folder/trace.csv, SHA-256 ..." where segments of version 1 or 2 are merged.
std::string traced_without_folders(const std::string& text) {
  try {
    const std::string file = parsed_json(text).at("file").get<std::string>();
    nlohmann::ordered_json trace = nlohmann::ordered_json::parse(text);
    trace["file"] = last_name(file);
    return trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  } catch (const JsonError&) {
  } catch (const nlohmann::json::exception&) {
    return text;
  }
  const std::size_t end = text.rfind(", SHA-256 ", text.find('\n'));
  return end == std::string::npos
             ? text
             : std::string(last_name(std::string_view(text).substr(0, end))) + text.substr(end);
}

bool begins_word(char before) {
  constexpr std::string_view starts = " \t\n\"'=([{,`";
  return starts.find(before) != std::string_view::npos;
}

// Where an absolute path that begins at `at` ends; `at` if there is none. In quotes it may have
// blanks. A lone "/" or "/s" is none.
std::size_t end_of_path(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool below_home = rest.starts_with("~/");
  if ((!below_home && !rest.starts_with('/')) || (at > 0 && !begins_word(text[at - 1]))) {
    return at;
  }
  const char before = at > 0 ? text[at - 1] : ' ';
  const bool quoted = before == '"' || before == '\'';
  const std::string_view ends =
      quoted ? std::string_view(before == '"' ? "\"\n" : "'\n") : std::string_view(" \t\n\"',)]}`");
  const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
  const std::string_view path = text.substr(at, end - at);
  const auto slashes = std::count(path.begin(), path.end(), '/');
  const bool is_path = slashes > 1 || below_home;
  return is_path && !path.starts_with("//") ? end : at;
}

std::string treated(const std::string& text, Treatment treatment) {
  switch (treatment) {
    case Treatment::line:
      return without_folders(text);
    case Treatment::path:
      return std::string(last_name(text));
    case Treatment::traced:
      return traced_without_folders(text);
    case Treatment::text:
      return without_absolute_paths(text);
    case Treatment::left_out:
      break;
  }
  return "";
}

bool is_of_name(char c) {
  return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// Whether it stands there by itself, not inside of another word.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string without_folders(std::string_view line) {
  if (line.empty()) {
    return "";
  }
  std::vector<std::string> words = shell_words(line);
  for (std::string& word : words) {
    word = shell_word(word_without_folders(word));
  }
  return join(words, " ");
}

std::string without_absolute_paths(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_path(text, at);
    if (end == at) {
      result += text[at++];
      continue;
    }
    result += last_name(text.substr(at, end - at));
    at = end;
  }
  return result;
}

StudyTexts anonymous(StudyTexts texts) {
  for (auto at = texts.provenance.begin(); at != texts.provenance.end();) {
    const std::string_view own = name_in_part(at->first);
    const auto* const found = std::find_if(treatments.begin(), treatments.end(),
                                           [&](const auto& row) { return row.first == own; });
    if (found == treatments.end()) {
      ++at;
    } else if (found->second == Treatment::left_out) {
      at = texts.provenance.erase(at);
    } else {
      at->second = treated(at->second, found->second);
      ++at;
    }
  }
  if (const auto history = texts.root_attributes.find("history");
      history != texts.root_attributes.end()) {
    history->second = without_folders(history->second);
  }
  return texts;
}

void make_anonymous(StudyDescription& study) {
  StudyTexts texts = anonymous({study.provenance, study.root_attributes});
  study.provenance = std::move(texts.provenance);
  study.root_attributes = std::move(texts.root_attributes);
}

std::vector<std::string> places_of(std::string_view word, const StudyTexts& texts) {
  std::vector<std::string> places;
  for (const auto& [name, text] : texts.root_attributes) {
    if (!word.empty() && has_word(text, word)) {
      places.push_back("/@" + name);
    }
  }
  for (const auto& [name, text] : texts.provenance) {
    const std::vector<std::string> lines = split(text, '\n');
    for (std::size_t line = 0; line < lines.size() && !word.empty(); ++line) {
      if (has_word(lines[line], word)) {
        places.push_back(fmt::format("/provenance/{}, line {}", name, line + 1));
      }
    }
  }
  return places;
}

}  // namespace scalesweep::store
