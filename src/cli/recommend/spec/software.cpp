#include "cli/recommend/spec/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalog/read/checkpoints.hpp"
#include "cli/recommend/spec/assumptions.hpp"
#include "config/toml_text.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "deploy/target.hpp"
#include "technology/precision.hpp"
#include "workload/framework.hpp"

namespace scalesweep::cli {
namespace {

using config::toml_text;
using technology::Precision;

constexpr std::string_view narrow_cache = "fp8";
constexpr double eight_bits = 1.1;  // bytes, with scales of blocks

bool is_weights_alone(const std::string& precision) {
  return precision == "w4a16" || precision == "w8a16";
}

// Of a weight in memory; 2 of names that are not known.
double weight_bytes(const std::string& precision) {
  if (is_weights_alone(precision)) {
    return precision == "w4a16" ? 0.5 : 1.0;
  }
  const auto known = technology::precision_names.find(precision);
  return known ? technology::element_bytes(*known) : 2.0;
}

// Of the published checkpoint that a name stands for, where that keeps some layers wider.
std::optional<technology::CheckpointFormats> uneven_checkpoint(const std::string& precision,
                                                               const std::string& model,
                                                               const catalog::Catalog& catalog) {
  const auto format = technology::precision_from(precision);
  const auto checkpoint = format ? catalog::checkpoint_of(catalog, model, *format) : std::nullopt;
  return checkpoint && !checkpoint->is_plain() ? checkpoint : std::nullopt;
}

// A value of the key `precision` as it is written: its name, and other members of its table; none
// where the name says all.
struct Value {
  std::string name;
  std::vector<std::string> members;

  std::string full_name(const std::string& cache) const {
    return cache.empty() ? name : name + "-cache-" + cache;
  }
  std::string text(const std::string& cache) const {
    if (members.empty() && cache.empty()) {
      return toml_text(name);
    }
    std::vector<std::string> all = members;
    if (members.empty()) {
      all.push_back("operands = " + toml_text(name));
    }
    if (!cache.empty()) {
      all.push_back("cache = " + toml_text(cache));
    }
    return fmt::format("{{ name = {}, {} }}", toml_text(full_name(cache)), join(all, ", "));
  }
};

// A format that is tried, and the values of the axis that it stands for as a condition.
struct AskedFormat {
  Precision linear;
  Precision experts;
  Precision activations;
  std::string condition;
};

Value value_of(const std::string& precision, bool is_checkpoint) {
  if (is_checkpoint) {
    return {precision + "-checkpoint", {"checkpoint = " + toml_text(precision)}};
  }
  // "w4a16": weights of so many bits, multiplied in 16.
  if (is_weights_alone(precision)) {
    return {precision,
            {fmt::format("weights = \"{}\"", precision == "w4a16" ? "fp4" : "fp8"),
             "operands = \"bf16\""}};
  }
  return {precision, {}};
}

class Chooser {
 public:
  Chooser(const Question& question, const Facts& facts, const catalog::Catalog& catalog)
      : question_(question), facts_(facts), catalog_(catalog) {}

  Software choose() {
    Software software;
    software.precisions = question_.precisions;
    if (software.precisions.empty()) {
      software.precisions = {usual_precision(question_.aim, facts_.model, facts_.known, catalog_)};
    }
    software.weight_bytes = 0.0;
    for (const std::string& precision : software.precisions) {
      add_values(precision, software);
      software.weight_bytes = std::max(software.weight_bytes, weight_bytes(precision));
    }
    std::vector<std::string> frameworks = question_.frameworks;
    if (frameworks.empty()) {
      frameworks = {usual_framework(question_.aim, facts_.known, multiplied_, catalog_)};
      software.assumed.push_back(framework_text(frameworks.front()));
    }
    for (const std::string& name : frameworks) {
      software.frameworks.push_back(asked_framework(name));
    }
    if (question_.precisions.empty()) {
      software.assumed.push_back("precision " + software.precisions.front());
    }
    if (tries_cache_) {
      software.assumed.push_back(
          "keys and values in 16 bits or fp8, whichever is faster (--cache says one)");
    }
    return software;
  }

 private:
  // Those who multiply 8 bits or fewer keep their cache in 8, too, where they want the most.
  std::vector<std::string> caches(std::optional<Precision> multiplied) {
    if (question_.aim == Aim::training) {
      return {""};
    }
    if (!question_.caches.empty()) {
      return question_.caches;
    }
    if (question_.curve || !multiplied || technology::element_bytes(*multiplied) > eight_bits) {
      return {""};
    }
    tries_cache_ = true;
    return {"", std::string(narrow_cache)};
  }

  void add_values(const std::string& precision, Software& software) {
    const auto checkpoint = question_.aim == Aim::serving
                                ? uneven_checkpoint(precision, facts_.model, catalog_)
                                : std::nullopt;
    const auto multiplied =
        checkpoint ? checkpoint->multiplied() : technology::precision_from(precision);
    multiplied_.push_back(checkpoint ? std::string(technology::name_of(checkpoint->multiplied()))
                                     : precision);
    const Value value = value_of(precision, checkpoint.has_value());
    std::vector<std::string> names;
    for (const std::string& cache : caches(multiplied)) {
      software.precision_values.push_back(value.text(cache));
      names.push_back(fmt::format("precision == '{}'", value.full_name(cache)));
    }
    const Precision linear = multiplied.value_or(Precision::bf16);
    const Precision wide = linear == Precision::fp16 ? linear : Precision::bf16;
    formats_.push_back({linear, linear, wide, join(names, " or ")});
  }

  AskedFramework asked_framework(const std::string& name) const {
    AskedFramework asked{name};
    const bool is_known = catalog_.has(catalog::Section::frameworks, name);
    const workload::Framework* const known = is_known ? &catalog_.framework(name) : nullptr;
    if (known != nullptr && (question_.aim == Aim::training ? known->trains : known->serves)) {
      asked.refused = deploy::refusals(*known);
      for (deploy::Refusal& one : program_rules(*known)) {
        expect_some_layout(name, one);
        asked.refused.push_back(std::move(one));
      }
      add_devices(name, asked.refused);
      asked.prompts_apart = known->serving.separate_prompts;
      asked.expert_devices = known->runs && known->runs->expert_devices;
    }
    return asked;
  }

  // A program that refuses a model in all its layouts was asked in vain. Throws Failure(usage).
  void expect_some_layout(const std::string& name, const deploy::Refusal& one) const {
    if (one.layouts == deploy::any_layout && one.among.empty() && !question_.frameworks.empty()) {
      throw Failure(ExitCode::usage,
                    fmt::format("recommend: --framework {}: it refuses {} ({}); take another one",
                                name, one.lack, one.source));
    }
  }

  // Devices that it does not run on are left out; where it runs on none, it was asked in vain.
  // Throws Failure(usage).
  void add_devices(const std::string& name, std::vector<deploy::Refusal>& refused) const {
    const deploy::TargetText* const target = deploy::text_of_framework(name);
    std::vector<std::string> others;
    std::string problem;
    for (const technology::Device& device : facts_.known) {
      if (const std::string one =
              target == nullptr ? "" : deploy::device_problem(*target, device.name);
          !one.empty()) {
        problem = one;
        others.push_back(fmt::format("device == '{}'", device.name));
      }
    }
    if (others.empty()) {
      return;
    }
    if (others.size() == facts_.known.size() && !question_.frameworks.empty()) {
      throw Failure(ExitCode::usage, fmt::format("recommend: --framework {}: {}", name, problem));
    }
    if (others.size() < facts_.known.size()) {
      refused.push_back(
          {std::string(deploy::any_layout), problem, "its devices", join(others, " or ")});
    }
  }

  // What its program refuses of the model: for all formats and devices of the question, or those
  // of them that it names.
  std::vector<deploy::Refusal> program_rules(const workload::Framework& known) const {
    std::vector<deploy::Refusal> rules;
    std::vector<std::vector<std::string>> among;  // of each, the conditions that it holds under
    std::size_t subjects = 0;
    if (facts_.shape == nullptr) {
      return rules;
    }
    for (const technology::Device& device : facts_.known) {
      for (const AskedFormat& format : formats_) {
        ++subjects;
        const std::optional<workload::Recipe> recipe =
            workload::recipe_for(technology::name_of(format.experts), std::nullopt,
                                 question_.aim == Aim::training ? known.training.replicas.fp8_recipe
                                                                : known.serving.fp8_recipe);
        deploy::Subject subject = {*facts_.shape,      device, format.linear, format.experts,
                                   format.activations, recipe};
        subject.sequence = question_.sequence.value_or(0);
        for (deploy::Refusal& one : deploy::rule_refusals(known.name, subject)) {
          const auto same = std::find_if(rules.begin(), rules.end(), [&](const auto& other) {
            return other.layouts == one.layouts && other.lack == one.lack;
          });
          const auto at = static_cast<std::size_t>(same - rules.begin());
          if (same == rules.end()) {
            rules.push_back(std::move(one));
            among.emplace_back();
          }
          among[at].push_back(
              fmt::format("(device == '{}' and ({}))", device.name, format.condition));
        }
      }
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
      rules[i].among = among[i].size() == subjects ? "" : join(among[i], " or ");
    }
    return rules;
  }

  // Of devices that only others launch on, it is what they are compared by.
  std::string framework_text(const std::string& framework) const {
    const auto foreign = std::find_if(
        facts_.known.begin(), facts_.known.end(), [this](const technology::Device& device) {
          return !can_launch(question_.aim, device.name) && !has_own_stack(device.name);
        });
    return "framework " + framework +
           (foreign == facts_.known.end()
                ? ""
                : ", whose launch on " + foreign->name + " is not known here");
  }

  const Question& question_;
  const Facts& facts_;
  const catalog::Catalog& catalog_;
  std::vector<AskedFormat> formats_;
  std::vector<std::string> multiplied_;  // by precision, its name or that of its format
  bool tries_cache_ = false;
};

}  // namespace

Software software_of(const Question& question, const Facts& facts,
                     const catalog::Catalog& catalog) {
  return Chooser(question, facts, catalog).choose();
}

}  // namespace scalesweep::cli
