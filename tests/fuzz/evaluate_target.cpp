// A small spec that is right, a few of its keys changed to what their rows allow: it is read,
// resolved, counted, and some of its points are evaluated.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "fuzz/known_study.hpp"
#include "fuzz/laws.hpp"
#include "space/keys/spec_keys.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::fuzz {
namespace {

using config::KeyKind;
using space::Key;
using Values = std::map<std::string, std::string>;  // of keys, by their paths

constexpr std::int64_t most_points = 64;
constexpr std::size_t most_changes = 6;
constexpr unsigned kinds = 6;

// Which form of a device a spec has, as the rows of [system] count them.
constexpr config::Variants derived = 1;
constexpr config::Variants catalogued = 2;

const Values& base(unsigned kind) {
  static const std::array<Values, kinds> all = {{
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
  return all[kind];
}

Values device(config::Variants form) {
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

// Keys whose tables say how a study is searched would look at more than some of its points, and
// keys of lists of tables stand in none of these lines.
bool is_changed(const Key& key, config::Variants kind, config::Variants form) {
  const std::string_view table = key.path.substr(0, key.path.find('.'));
  const std::string_view known[] = {"workload", "system", "strategy", "economics",
                                    "run",      "keep",   "prefill",  "decode"};
  if (std::find(std::begin(known), std::end(known), table) == std::end(known) ||
      key.path == "workload.kind" || key.kind == KeyKind::tables || key.kind == KeyKind::table ||
      key.kind == KeyKind::file_or_tables) {
    return false;
  }
  return (key.variants & (table == "system" ? form : kind)) != 0;
}

const std::vector<const Key*>& changed_keys(unsigned kind, config::Variants form) {
  static std::map<std::pair<unsigned, config::Variants>, std::vector<const Key*>> known;
  auto [found, is_new] = known.try_emplace({kind, form});
  if (is_new) {
    for (const Key& key : space::spec_keys()) {
      if (is_changed(key, static_cast<config::Variants>(1U << kind), form)) {
        found->second.push_back(&key);
      }
    }
  }
  return found->second;
}

std::string name_for(const Key& key, Choices& choices) {
  using catalog::Section;
  static const std::map<std::string_view, Section> sections = {
      {"device", Section::devices},
      {"memory_of", Section::devices},
      {"model", Section::models},
      {"draft_model", Section::models},
      {"critic", Section::models},
      {"reward_model", Section::models},
      {"recommender", Section::recommenders},
      {"diffusion_model", Section::diffusion_models},
      {"framework", Section::frameworks},
      {"rollout_framework", Section::frameworks},
      {"optimizer", Section::optimizers},
      {"logic", Section::logic},
      {"memory", Section::memories},
      {"template", Section::templates},
      {"package", Section::packages},
      {"topology", Section::topologies},
      {"link", Section::scale_up},
      {"reliability", Section::reliability},
      {"storage", Section::storage}};
  const auto section = sections.find(key.name());
  if (section == sections.end()) {
    return std::string(key.example);
  }
  return "\"" + choices.of(known_catalog()->names(section->second)) + "\"";
}

std::string value_for(const Key& key, Choices& choices) {
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

// A key that is a table as well stands in the place of what is in it, and the other way round.
void set(Values& values, const std::string& path, const std::string& value) {
  std::erase_if(values, [&](const auto& known) {
    return known.first.starts_with(path + ".") || path.starts_with(known.first + ".");
  });
  values[path] = value;
}

std::string spec_of(Choices& choices) {
  const unsigned kind = choices.byte() % kinds;
  const config::Variants form = choices.byte() % 2 == 0 ? catalogued : derived;
  Values values = base(kind);
  values.merge(device(form));
  values["system.accelerators"] = "16";
  const std::vector<const Key*>& keys = changed_keys(kind, form);
  for (std::size_t i = 0; i < most_changes && !choices.empty(); ++i) {
    const Key& key = *choices.of(keys);
    set(values, std::string(key.path), value_for(key, choices));
  }
  std::string text = "schema = 1\ntitle = \"a study\"\n";
  for (const auto& [path, value] : values) {
    text += path + " = " + value + "\n";
  }
  return text;
}

// Of points that are ok: what is aimed at is a number.
void expect_numbers(const study::Study& study, const store::Table& rows) {
  const store::Schema& schema = study.description().schema;
  const std::size_t status = study::column_named(schema, "status");
  for (const space::Objective& objective : study.spec().objectives) {
    const std::size_t column = study::column_named(schema, objective.column);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double value = rows.number(column, row);
      require(rows.number(status, row) != 0.0 || !std::isnan(value),
              objective.column + " of a point that is ok is no number");
    }
  }
}

void expect_same(const store::Table& one, const store::Table& other) {
  require(one.rows() == other.rows() && one.columns() == other.columns(), "as many rows");
  for (std::size_t column = 0; column < one.columns(); ++column) {
    for (std::size_t row = 0; row < one.rows(); ++row) {
      const double a = one.number(column, row);
      const double b = other.number(column, row);
      require(std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)),
              "a point has the same values whatever is evaluated before it");
    }
  }
}

void evaluate(const study::Study& study, std::size_t place) {
  const std::int64_t size = study.space().size();
  const auto first =
      static_cast<std::int64_t>(static_cast<double>(place) / 65536.0 * static_cast<double>(size));
  const IdRange ids = {first, std::min(size, first + most_points)};
  engine::RangeResult whole = empty_result(study);
  study.make_row_evaluator().evaluate(ids, whole);
  expect_numbers(study, whole.rows);
  require(static_cast<std::int64_t>(whole.rows.rows()) == ids.size(), "each point has a row");
  engine::RangeResult half = empty_result(study);
  const PointId middle = ids.first + ids.size() / 2;
  study.make_row_evaluator().evaluate({middle, ids.last}, half);
  engine::RangeResult first_half = empty_result(study);
  study.make_row_evaluator().evaluate({ids.first, middle}, first_half);
  first_half.rows.append(half.rows);
  expect_same(whole.rows, first_half.rows);
  engine::RangeResult kept = empty_result(study);
  engine::Evaluator evaluator = study.make_evaluator();
  evaluator.evaluate(ids, kept);
  if (evaluator.reduce) {
    evaluator.reduce(kept);
  }
  study.point_at(ids.first);
}

}  // namespace

void run_evaluate(Bytes input) {
  known_study();
  Choices choices(input);
  const std::size_t place = choices.two_bytes();
  const std::string spec = spec_of(choices);
  Diagnostics diagnostics;
  succeeds([&] {
    if (const auto study = study_of(spec, diagnostics)) {
      evaluate(*study, place);
    }
  });
  diagnostics.text();
}

}  // namespace scalesweep::fuzz
