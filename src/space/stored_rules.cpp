#include "space/stored_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/documents/json.hpp"
#include "core/documents/stored_json.hpp"
#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {
namespace {

std::int64_t whole_in(const nlohmann::json& document, const char* key, std::int64_t fallback) {
  if (!document.contains(key)) {
    return fallback;
  }
  const nlohmann::json& value = document.at(key);
  if (!value.is_number_integer()) {
    throw JsonError(0, "no whole number");
  }
  return value.get<std::int64_t>();
}

template <typename Names>
auto word_in(const nlohmann::json& document, const char* key, const Names& names) {
  return names.find(document.at(key).get_ref<const std::string&>());
}

std::optional<KeepPolicy> policy_of(const std::string& word) {
  const auto& words = spec_key("keep.policy").words;
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? std::nullopt
                              : std::optional(static_cast<KeepPolicy>(found - words.begin()));
}

std::optional<Keep> stored_keep(const nlohmann::json& document) {
  const auto policy = policy_of(document.at("policy").get<std::string>());
  const auto counts = document.contains("counts") ? word_in(document, "counts", counts_names)
                                                  : std::optional(Counts::exact);
  if (!policy || !counts) {
    return std::nullopt;
  }
  Keep keep;
  keep.policy = *policy;
  keep.counts = *counts;
  const std::int64_t count = whole_in(document, "k", 1);
  keep.best_count = static_cast<int>(count);
  keep.per = document.value("per", std::vector<std::string>());
  const bool is_plain = keep.per.empty() && keep.counts == Counts::exact;
  return count >= 1 && count == keep.best_count && (keep.reduces() || is_plain)
             ? std::optional(keep)
             : std::nullopt;
}

std::vector<Objective> stored_objectives(const nlohmann::json& document) {
  std::vector<Objective> objectives;
  for (const nlohmann::json& one : document) {
    for (const ObjectiveWord& word : objective_words) {
      if (one.contains(word.word)) {
        objectives.push_back({one.at(word.word).get<std::string>(), word.direction});
      }
    }
  }
  return objectives;
}

std::optional<AxisSearch> stored_search(const nlohmann::json& document) {
  const auto find = word_in(document, "find", search_for_names);
  if (!find) {
    return std::nullopt;
  }
  AxisSearch search;
  search.find = *find;
  document.at("axes").get_to(search.axes);
  search.first_values = whole_in(document, "first_values", search.first_values);
  search.tolerance = document.value("tolerance", search.tolerance);
  if (document.contains("devices")) {
    search.most_devices = whole_in(document, "devices", 0);
  }
  if (document.contains("method")) {
    search.method = word_in(document, "method", search_method_names);
  }
  return search.axes.empty() ? std::nullopt : std::optional(search);
}

}  // namespace

std::string keep_json(const Keep& keep) {
  const auto policy = static_cast<std::size_t>(keep.policy);
  Json::Members members = {{"policy", spec_key("keep.policy").words[policy]}};
  if (keep.policy == KeepPolicy::best) {
    members.emplace_back("k", keep.best_count);
  }
  if (keep.reduces() && !keep.per.empty()) {
    members.emplace_back("per", keep.per);
  }
  if (keep.reduces() && keep.counts != Counts::exact) {
    members.emplace_back("counts", counts_names[keep.counts]);
  }
  return Json::object(std::move(members)).dump();
}

std::optional<Keep> keep_of_json(std::string_view text) {
  return read_stored_json(text, stored_keep);
}

std::string keep_text(const Keep& keep) {
  std::string text(spec_key("keep.policy").words[static_cast<std::size_t>(keep.policy)]);
  if (keep.policy == KeepPolicy::best) {
    text += fmt::format(" {}", keep.best_count);
  }
  if (keep.reduces() && !keep.per.empty()) {
    text += " per " + join(keep.per, ", ");
  }
  const bool bounded = keep.reduces() && keep.counts == Counts::bounded;
  return bounded ? text + "; counts bounded" : text;
}

std::string objectives_json(const std::vector<Objective>& objectives) {
  std::vector<Json> all;
  for (const Objective& one : objectives) {
    all.push_back(Json::object({{std::string(word_of(one.direction).word), one.column}}));
  }
  return Json(all).dump();
}

std::vector<Objective> objectives_of_json(std::string_view text) {
  return read_stored_json(text, stored_objectives);
}

std::string search_json(const AxisSearch& search) {
  Json::Members members = {{"axes", search.axes}, {"find", search_for_names[search.find]}};
  if (search.find == SearchFor::transitions) {
    members.emplace_back("first_values", search.first_values);
    return Json::object(std::move(members)).dump();
  }
  members.emplace_back("method", search_method_names[search.method.value()]);
  if (search.method != SearchMethod::climb) {
    members.emplace_back("tolerance", search.tolerance);
  }
  members.emplace_back("devices", search.most_devices.value());
  return Json::object(std::move(members)).dump();
}

std::optional<AxisSearch> search_of_json(std::string_view text) {
  return read_stored_json(text, stored_search);
}

std::string groups_json(const AxisGroups& groups) {
  return Json(groups).dump();
}

AxisGroups groups_of_json(std::string_view text) {
  return read_stored_json(
      text, [](const nlohmann::json& document) { return document.get<AxisGroups>(); });
}

}  // namespace scalesweep::space
