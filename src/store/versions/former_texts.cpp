#include "store/versions/former_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "core/documents/json.hpp"
#include "core/text.hpp"
#include "store/versions/former_names.hpp"

namespace scalesweep::store {
namespace {

using MaybeJson = std::optional<Json>;

// The number behind the first place of the words in a line; nothing if there is none.
std::optional<double> number_behind(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = line.substr(at + words.size());
  double number = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> whole_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

Json number_json(std::string_view digits) {
  if (const auto whole = whole_of(digits)) {
    return *whole;
  }
  const auto number = number_behind(digits, "");
  return number ? Json(*number) : Json();
}

// "logic, memory" or "logic memory".
std::vector<std::string> names_in(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<std::string> names = split(text, ' ');
  std::erase(names, "");
  return names;
}

// "best 3 per logic, memory; counts bounded"
MaybeJson keep_json(const std::string& whole) {
  constexpr std::string_view bounded = "; counts bounded";
  constexpr std::string_view per = " per ";
  const bool is_bounded = whole.ends_with(bounded);
  const std::string text = whole.substr(0, whole.size() - (is_bounded ? bounded.size() : 0));
  const std::size_t end = std::min(text.find(per), text.size());
  const std::vector<std::string> words = split(text.substr(0, end), ' ');
  Json::Members members = {{"policy", words.front()}};
  if (text == "several rules") {
    return Json::object({{"policy", "several"}});
  }
  if (words.size() == 2 && words.front() == "best") {
    members.emplace_back("k", number_json(words[1]));
  } else if (words.size() != 1) {
    return std::nullopt;
  }
  if (end < text.size()) {
    members.emplace_back("per", names_in(text.substr(end + per.size())));
  }
  if (is_bounded) {
    members.emplace_back("counts", "bounded");
  }
  return Json::object(std::move(members));
}

// "step_time, -tokens_per_second"
MaybeJson objectives_json(const std::string& text) {
  std::vector<Json> all;
  for (const std::string& name : names_in(text)) {
    const bool most = name.starts_with('-');
    all.push_back(
        Json::object({{most ? "maximize" : "minimize", column_now(name.substr(most ? 1 : 0))}}));
  }
  return Json(all);
}

// "die_area, power; tolerance 0.001; devices 400; method model", "die_area; transitions; first
// values 9"
MaybeJson search_json(const std::string& text) {
  std::vector<std::string> parts = split(text, ';');
  Json::Members members = {{"axes", names_in(parts.front())}};
  std::string find = "best";
  std::string method = "bounds";
  Json::Members numbers;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string part(trim(parts[i]));
    const std::size_t blank = part.rfind(' ');
    const std::string value = part.substr(blank + 1);
    std::string key = part.substr(0, std::min(blank, part.size()));
    std::replace(key.begin(), key.end(), ' ', '_');
    if (key == "transitions") {
      find = key;
    } else if (key == "method") {
      method = value;
    } else {
      numbers.emplace_back(key, number_json(value));
    }
  }
  members.emplace_back("find", find);
  if (find == "best") {
    members.emplace_back("method", method);
  }
  members.insert(members.end(), numbers.begin(), numbers.end());
  return Json::object(std::move(members));
}

// "sequence, global_batch; device, precision"
MaybeJson together_json(const std::string& text) {
  std::vector<std::vector<std::string>> groups;
  for (const std::string& part : split(text, ';')) {
    if (std::vector<std::string> names = names_in(part); !names.empty()) {
      groups.push_back(std::move(names));
    }
  }
  return Json(groups);
}

constexpr std::string_view hash_words = ", SHA-256 ";

// "requests: prompt 1024, output 128, share 0.5", "reuse: a cache of 1e6 tokens finds 0.4"
bool read_line(const std::string& line, std::vector<Json>& classes, std::vector<Json>& reuse) {
  const auto prompt = number_behind(line, "requests: prompt ");
  const auto output = number_behind(line, "output ");
  const auto share = number_behind(line, "share ");
  if (prompt && output && share) {
    classes.push_back(Json::object({{"prompt", *prompt}, {"output", *output}, {"share", *share}}));
    return true;
  }
  const auto tokens = number_behind(line, "reuse: a cache of ");
  const auto found = number_behind(line, "tokens finds ");
  if (tokens && found) {
    reuse.push_back(Json::object({{"tokens", *tokens}, {"share", *found}}));
  }
  return tokens && found;
}

// "trace.csv, SHA-256 0123...", "1000 requests, 2.5 Hz; burstiness 1.2, ...", and a line for each
// class and each point of reuse.
MaybeJson requests_json(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase(lines, "");
  if (lines.size() < 3) {
    return std::nullopt;
  }
  const std::size_t hash = lines[0].rfind(hash_words);
  const auto requests = number_behind(lines[1], "");
  const auto rate = number_behind(lines[1], "requests, ");
  const auto burstiness = number_behind(lines[1], "burstiness ");
  const auto dispersion = number_behind(lines[1], "32 in the mean, ");
  std::vector<Json> classes;
  std::vector<Json> reuse;
  const bool reads = std::all_of(lines.begin() + 2, lines.end(), [&](const std::string& line) {
    return read_line(line, classes, reuse);
  });
  if (hash == std::string::npos || !requests || !rate || !burstiness || !reads) {
    return std::nullopt;
  }
  return Json::object({{"file", lines[0].substr(0, hash)},
                       {"sha256", lines[0].substr(hash + hash_words.size())},
                       {"requests", static_cast<std::int64_t>(*requests)},
                       {"arrival_rate", *rate},
                       {"burstiness", *burstiness},
                       {"dispersion", dispersion ? Json(*dispersion) : Json()},
                       {"classes", classes},
                       {"reuse", reuse}});
}

// "1, 0.5, 0.25; 2.5 Hz in the fullest hour of the trace"
MaybeJson load_curve_json(const std::string& text) {
  const std::vector<std::string> halves = split(text, ';');
  std::vector<double> loads;
  for (const std::string& part : split(halves.front(), ',')) {
    loads.push_back(number_behind(trim(part), "").value_or(0.0));
  }
  Json::Members members = {{"loads", loads}};
  if (halves.size() == 2) {
    members.emplace_back("busiest_rate", number_behind(trim(halves.back()), "").value_or(0.0));
  }
  return Json::object(std::move(members));
}

// "devices my-chip: my-chip.toml, SHA-256 0123..." in each line
MaybeJson overlays_json(const std::string& text) {
  constexpr std::string_view behind_entry = ": ";
  std::vector<Json> entries;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t name = line.find(behind_entry);
    const std::size_t hash = line.rfind(hash_words);
    if (name != std::string::npos && hash != std::string::npos && name < hash) {
      const std::size_t begin = name + behind_entry.size();
      entries.push_back(Json::object({{"entry", line.substr(0, name)},
                                      {"file", line.substr(begin, hash - begin)},
                                      {"sha256", line.substr(hash + hash_words.size())}}));
    }
  }
  return Json(entries);
}

struct FormerText {
  std::string_view name;
  MaybeJson (*json)(const std::string& text);
};
constexpr std::array<FormerText, 7> former_texts = {{{"keep", keep_json},
                                                     {"objectives", objectives_json},
                                                     {"search", search_json},
                                                     {"together", together_json},
                                                     {"requests", requests_json},
                                                     {"load_curve", load_curve_json},
                                                     {"overlays", overlays_json}}};

}  // namespace

std::string_view name_in_part(std::string_view name) {
  constexpr std::string_view prefix = "study_";
  if (!name.starts_with(prefix)) {
    return name;
  }
  std::size_t at = prefix.size();
  while (at < name.size() && name[at] >= '0' && name[at] <= '9') {
    ++at;
  }
  const bool is_part = at > prefix.size() && at < name.size() && name[at] == '_';
  return is_part ? name.substr(at + 1) : name;
}

void use_present_texts(std::map<std::string, std::string>& texts) {
  for (auto& [name, text] : texts) {
    const auto* const row =
        std::find_if(former_texts.begin(), former_texts.end(),
                     [&](const FormerText& one) { return one.name == name_in_part(name); });
    const MaybeJson json = row == former_texts.end() ? std::nullopt : row->json(text);
    if (json) {
      text = json->dump();
    }
  }
}

h5::Hid open_column(hid_t file, const std::string& name) {
  const std::string path = "results/" + name;
  const auto former = std::find_if(renamed_columns.begin(), renamed_columns.end(),
                                   [&](const Renamed& row) { return row.name == name; });
  const bool is_former = former != renamed_columns.end() && !h5::exists(file, path);
  return h5::open_dataset(file, is_former ? "results/" + std::string(former->former) : path);
}

}  // namespace scalesweep::store
