#include "spec_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "config/key_relations.hpp"

namespace scalesweep::test {
namespace {

using config::KeyKind;
using space::Key;

constexpr std::size_t most_changes = 6;  // of a spec that need not be right
constexpr std::size_t most_keys = 14;    // that are tried of one that is

// Which form of a device a spec has, as the rows of [system] count them.
constexpr config::Variants derived = 1;
constexpr config::Variants catalogued = 2;

const SpecValues& base(WorkloadKind kind) {
  static const std::array<SpecValues, kind_count> all = {{
      {{"workload.kind", "\"training\""},
       {"workload.model", "\"llama-2-7b\""},
       {"workload.sequence", "2048"},
       {"workload.global_batch", "32"},
       {"strategy.tensor_parallel", "[1, 2, 8]"},
       {"strategy.micro_batch", "[1, 2]"}},
      {{"workload.kind", "\"inference\""},
       {"workload.model", "\"llama-2-7b\""},
       {"workload.prompt", "1000"},
       {"workload.output", "200"},
       {"workload.batch", "[1, 16]"},
       {"strategy.tensor_parallel", "[1, 2]"}},
      {{"workload.kind", "\"serving\""},
       {"workload.model", "\"llama-3-8b\""},
       {"workload.prompt", "1000"},
       {"workload.output", "200"},
       {"workload.time_per_output_token", "\"50 ms\""},
       {"strategy.tensor_parallel", "[1, 2]"},
       {"strategy.pipeline_parallel", "1"}},
      {{"workload.kind", "\"recommendation\""},
       {"workload.recommender", "\"dlrm-dcnv2\""},
       {"workload.batch", "65536"}},
      {{"workload.kind", "\"diffusion\""},
       {"workload.diffusion_model", "\"flux-1-dev\""},
       {"workload.batch", "[1, 8]"},
       {"workload.width", "1024"},
       {"workload.height", "1024"}},
      {{"workload.kind", "\"reinforcement_learning\""},
       {"workload.model", "\"qwen2.5-7b\""},
       {"workload.prompts", "64"},
       {"workload.prompt", "512"},
       {"workload.output", "1024"},
       {"strategy.tensor_parallel", "[1, 2]"},
       {"strategy.pipeline_parallel", "1"},
       {"strategy.micro_batch", "1"}},
  }};
  return all[static_cast<std::size_t>(kind)];
}

SpecValues device(config::Variants form) {
  if (form == catalogued) {
    return {{"system.device", "[\"h100-sxm\", \"a100-sxm-80gb\"]"}};
  }
  return {{"system.logic", "[\"N7\", \"N3\"]"},
          {"system.memory", "\"HBM3\""},
          {"system.scale_up.link", "\"NVLink4\""},
          {"system.scale_up.domain", "8"},
          {"system.scale_out", "\"NDRx8\""},
          {"system.device.template", "\"tensor-core-gpu\""},
          {"system.device.die_area", "\"826 mm2\""},
          {"system.device.power", "\"500 W\""},
          {"system.device.stacks", "4"}};
}

SpecValues beginning(WorkloadKind kind, config::Variants form) {
  SpecValues values = base(kind);
  values.merge(device(form));
  values["system.accelerators"] = "16";
  return values;
}

// "[1, 1.25]" is one of them, or all.
std::string of_list(std::string_view text, bool whole, Choices& choices) {
  if (!text.starts_with('[') || text.find('{') != std::string_view::npos || whole) {
    return std::string(text);
  }
  std::vector<std::string> values;
  std::string_view rest = text.substr(1, text.size() - 2);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    values.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return choices.of(values);
}

// The text with its first number times `factor`.
std::string times(std::string text, double factor, bool is_integer) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string::npos) {
    return text;
  }
  std::size_t last = first;
  while (last < text.size() && (std::isdigit(static_cast<unsigned char>(text[last])) != 0 ||
                                text[last] == '_' || text[last] == '.')) {
    ++last;
  }
  std::string digits = text.substr(first, last - first);
  std::erase(digits, '_');
  const double value = std::strtod(digits.c_str(), nullptr) * factor;
  const std::string written = is_integer ? fmt::format("{}", std::max(1.0, std::round(value)))
                                         : fmt::format("{:.6g}", value);
  return text.replace(first, last - first, written);
}

// Which decide most: each is drawn in most of the specs.
constexpr std::string_view main_keys[] = {
    "workload.model",      "workload.recommender", "workload.diffusion_model",
    "system.accelerators", "system.device",        "workload.framework",
    "workload.precision",  "workload.prompt",      "workload.output",
    "workload.batch",      "workload.sequence",    "workload.global_batch",
    "workload.batching",   "workload.work",        "system.power_limit"};

}  // namespace

std::string text_of(const SpecValues& values) {
  std::string text = "schema = 1\n";
  if (!values.contains("title")) {
    text += "title = \"a study\"\n";
  }
  for (const auto& [path, value] : values) {
    text += path + " = " + value + "\n";
  }
  return text;
}

void set_value(SpecValues& values, const std::string& path, const std::string& value) {
  std::erase_if(values, [&](const auto& known) {
    return known.first.starts_with(path + ".") || path.starts_with(known.first + ".");
  });
  values[path] = value;
}

SpecGenerator::SpecGenerator(std::shared_ptr<const catalog::Catalog> catalog)
    : catalog_(std::move(catalog)) {}

// Keys whose tables say how a study is searched would look at more than some of its points, and
// keys of lists of tables stand in none of these lines; both are of specs that must be right.
SpecGenerator::Keys SpecGenerator::keys_of(WorkloadKind kind, config::Variants form,
                                           bool with_tables) const {
  const auto is_of = [&](const Key& key) {
    const std::string_view table = key.path.substr(0, key.path.find('.'));
    constexpr std::string_view simple[] = {"workload", "system", "strategy", "economics",
                                           "run",      "keep",   "prefill",  "decode"};
    constexpr std::string_view further[] = {"search", "objectives", "draws", "allocate"};
    const bool is_table = key.kind == KeyKind::tables || key.kind == KeyKind::table ||
                          key.kind == KeyKind::file_or_tables;
    const bool is_simple =
        std::find(std::begin(simple), std::end(simple), table) != std::end(simple);
    const bool is_further =
        std::find(std::begin(further), std::end(further), table) != std::end(further);
    if (key.path == "workload.kind" || key.path == table || (is_table && !with_tables) ||
        !(is_simple || (is_further && with_tables))) {
      return false;
    }
    return (key.variants & (table == "system" ? form : space::of(kind))) != 0;
  };
  Keys keys;
  for (const Key& key : space::spec_keys()) {
    if (is_of(key)) {
      keys.push_back(&key);
    }
  }
  return keys;
}

std::string SpecGenerator::name_for(const Key& key, Choices& choices) const {
  const auto section = catalog::section_names.find(key.names.section);
  if (!section) {
    return std::string(key.example);
  }
  return "\"" + choices.of(catalog_->names(*section)) + "\"";
}

std::string SpecGenerator::any_value(const Key& key, Choices& choices) const {
  constexpr std::string_view integers[] = {"1",   "2",    "3",    "4",    "5",     "6",      "7",
                                           "8",   "12",   "16",   "64",   "72",    "100",    "128",
                                           "999", "1024", "4096", "8191", "65536", "1000000"};
  constexpr std::string_view numbers[] = {"0.0", "0.001", "0.1",  "0.25", "0.5",  "0.75",
                                          "0.9", "0.999", "1.0",  "1.5",  "2",    "3.7",
                                          "10",  "100",   "1e-9", "1e6",  "1e12", "1e300"};
  constexpr std::string_view sizes[] = {"1", "2", "4", "8", "[1, 2]", "[2, 4]", "[1, 4]", "16"};
  constexpr std::string_view amounts[] = {"1",   "0.5",  "2", "8",    "40", "100",
                                          "600", "1000", "0", "1e-6", "1e6"};
  constexpr std::string_view huge[] = {"2000000000",          "1000000000000",
                                       "9007199254740993",    "9223372036854775807",
                                       "1000000000000000000", "2147483647"};
  const std::uint8_t chance = choices.byte();
  if (chance < 100) {
    return std::string(key.example);
  }
  if (!key.words.empty()) {
    return "\"" + std::string(choices.of(key.words)) + "\"";
  }
  switch (key.kind) {
    case KeyKind::truth:
      return choices.byte() % 2 == 0 ? "true" : "false";
    case KeyKind::integer:
      return std::string(chance < 240 ? choices.of(integers) : choices.of(huge));
    case KeyKind::number:
      return std::string(choices.of(numbers));
    case KeyKind::sizes:
      return std::string(choices.of(sizes));
    case KeyKind::quantity: {
      const std::string_view written = key.example;
      const std::size_t unit = written.find(' ');
      const std::string own(unit == std::string_view::npos
                                ? std::string_view("s\"")
                                : written.substr(unit + 1, written.find('"', unit) - unit));
      return "\"" + std::string(choices.of(amounts)) + " " + own;
    }
    default:
      return name_for(key, choices);
  }
}

SpecValues SpecGenerator::any_spec(Choices& choices) const {
  const auto kind = static_cast<WorkloadKind>(choices.byte() % kind_count);
  const config::Variants form = choices.byte() % 2 == 0 ? catalogued : derived;
  SpecValues values = beginning(kind, form);
  const Keys keys = keys_of(kind, form, false);
  for (std::size_t i = 0; i < most_changes && !choices.empty(); ++i) {
    const Key& key = *choices.of(keys);
    set_value(values, std::string(key.path), any_value(key, choices));
  }
  return values;
}

// What the row has as its example, more or less of it, or one of its words or names; now and then
// two of them.
std::string SpecGenerator::usual_value(const Key& key, Choices& choices) const {
  const auto two = [&](const auto& one_more) {
    const std::string first = one_more();
    const std::string second = key.list && choices.one_of(4) ? one_more() : first;
    return first == second ? first : fmt::format("[{}, {}]", first, second);
  };
  if (!key.words.empty()) {
    return two([&] { return "\"" + std::string(choices.of(key.words)) + "\""; });
  }
  constexpr double factors[] = {1.0, 1.0, 1.0, 0.25, 0.5, 0.75, 1.5, 2.0, 4.0};
  switch (key.kind) {
    case KeyKind::truth:
      return choices.byte() % 2 == 0 ? "true" : "false";
    case KeyKind::integer:
    case KeyKind::number:
    case KeyKind::quantity: {
      const bool is_integer = key.kind == KeyKind::integer;
      const std::string mean = of_list(key.example, choices.one_of(4), choices);
      if (key.uncertain && choices.one_of(6) && !mean.starts_with('[')) {
        return fmt::format("{{ mean = {}, spread = 0.2 }}", mean);
      }
      if (mean.starts_with('[') || mean.starts_with('{')) {
        return mean;
      }
      if (key.zero && choices.one_of(6) && is_integer) {
        return "0";
      }
      return two([&] { return times(mean, choices.of(factors), is_integer); });
    }
    case KeyKind::sizes: {
      constexpr std::string_view sizes[] = {"1",      "2",      "4",         "8",
                                            "[1, 2]", "[2, 4]", "[1, 4, 8]", "16"};
      return std::string(choices.of(sizes));
    }
    case KeyKind::name:
    case KeyKind::name_or_table:
    case KeyKind::names_or_tables:
      return two([&] { return of_list(name_for(key, choices), false, choices); });
    default:
      return of_list(key.example, choices.one_of(4), choices);
  }
}

void SpecGenerator::add_needed(SpecValues& values, const Key& key, const Keys& keys,
                               Choices& choices) const {
  Keys beside;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(beside),
               [&key](const Key* other) { return other->table() == key.table(); });
  const auto add = [&](std::string_view name, std::string_view word) {
    const auto row = std::find_if(beside.begin(), beside.end(),
                                  [name](const Key* other) { return other->name() == name; });
    const std::string value =
        word.empty() ? usual_value(**row, choices) : fmt::format("\"{}\"", word);
    set_value(values, std::string((*row)->path), value);
  };
  const auto stands = [&](const config::Partner& partner) {
    return values.contains(fmt::format("{}.{}", key.table(), partner.key));
  };
  const auto needed = config::partners_among(key.needs, beside);
  if (!needed.empty() &&
      (!needed.front().word.empty() || std::none_of(needed.begin(), needed.end(), stands))) {
    add(needed.front().key, needed.front().word);
  }
  for (const Key* other : beside) {
    const auto asking = config::partners_among(other->needs, beside);
    if (other->need == config::Need::with_others && !stands({other->name()}) &&
        std::any_of(asking.begin(), asking.end(), stands)) {
      add(other->name(), "");
    }
  }
}

std::optional<SpecValues> SpecGenerator::right_spec(WorkloadKind kind, Choices& choices,
                                                    const IsRight& is_right) const {
  const config::Variants form = choices.byte() % 4 == 0 ? derived : catalogued;
  SpecValues values = beginning(kind, form);
  if (!is_right(values)) {
    return std::nullopt;
  }
  const Keys keys = keys_of(kind, form, true);
  const auto try_key = [&](const Key& key) {
    SpecValues tried = values;
    set_value(tried, std::string(key.path), usual_value(key, choices));
    add_needed(tried, key, keys, choices);
    if (is_right(tried)) {
      values = std::move(tried);
    }
  };
  for (const Key* key : keys) {
    const bool is_main =
        std::find(std::begin(main_keys), std::end(main_keys), key->path) != std::end(main_keys);
    if (is_main && !choices.one_of(4)) {
      try_key(*key);
    }
  }
  const std::size_t count = choices.below(most_keys);
  for (std::size_t i = 0; i < count; ++i) {
    try_key(*choices.of(keys));
  }
  return values;
}

}  // namespace scalesweep::test
