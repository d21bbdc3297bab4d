// How far estimates were from measurements: of devices in frameworks, and of what some layouts,
// models and workloads have alone.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::array<std::string_view, 2> scales = {"single_node", "multi_node"};

template <class Record>
Field<Record> work_field(MeasuredWork Record::*member) {
  return choice(
      name("work", "what was measured; `first_token`: times to the first token of services",
           "\"inference\"", "\"training\""),
      member, measured_work_names);
}

Field<UncertaintyRecord> scale_field() {
  Key key = name("scale", "`single_node`: up to 8 devices; `multi_node`: more", "\"multi_node\"");
  key.words = scales;
  return {key, [](EntryReader& entry, UncertaintyRecord& record) {
            const Located scale = entry.text("scale");
            record.single_node = scale.text == scales.front();
            if (!scale.text.empty() && !record.single_node && scale.text != scales.back()) {
              entry.table().error(
                  "scale", fmt::format("unknown scale '{}'{}", scale.text,
                                       suggestion(scale.text, std::vector<std::string>(
                                                                  scales.begin(), scales.end()))));
            }
          }};
}

const Fields<UncertaintyRecord>& uncertainty_fields() {
  static const Fields<UncertaintyRecord> fields = joined<UncertaintyRecord>(
      {by_hand<UncertaintyRecord>(
           {name("device", "an entry of `device`, by its name", "\"h100-sxm\""),
            name("framework",
                 "an entry of `framework`, by its name; without a version all versions of it",
                 "\"nanotron\""),
            name(
                "architecture",
                "`template` of that device: a study keeps this entry without the one of the device",
                "\"hopper\"", "of the entry of the device"),
            name("maker", "`maker` of that device", "\"NVIDIA\"", "of the entry of the device")}),
       {work_field(&UncertaintyRecord::work), scale_field(),
        number(&UncertaintyRecord::relative, above_zero, "relative",
               "relative error that two of three measurements were within, or somewhat more",
               "0.08"),
        value(&UncertaintyRecord::rows, "rows", "measurements", "24"),
        field(row("date", KeyKind::text, "of the estimates", "\"2026-01-15\"", required),
              &UncertaintyRecord::date)}});
  return fields;
}

Key trait_key() {
  Key key =
      name("trait", "what the cases have", "\"context parallelism\"", "any trait that no case has");
  key.words = technology::trait_names;
  return key;
}

// Of which a trait and its absence have different ones.
Fields<TraitRecord> trait_fields() {
  return joined<TraitRecord>(
      {by_hand<TraitRecord>(
           {trait_key(), name("framework",
                              "an entry of `framework`, by its name; with `trait`; without a "
                              "version all versions of it",
                              "\"nanotron\"", "all of them")}),
       {work_field(&TraitRecord::work)},
       by_hand<TraitRecord>(
           {number("factor", above_zero,
                   "with `trait`: error of the cases with it over the usual one of their devices, "
                   "frameworks and scales; below 1 as 1",
                   "1.3", "none"),
            number(
                "relative", from_zero,
                "what one adds, as an error of its own: without `trait` any that no case has, with "
                "it one of device, framework and scale (`device not measured`)",
                "0.41", "none"),
            integer("rows", "measurements; with `trait`", "24", "none")})});
}

}  // namespace

std::vector<Key> uncertainty_rows() {
  return keys_of(uncertainty_fields());
}

std::vector<Key> trait_rows() {
  return keys_of(trait_fields());
}

UncertaintyRecord read_uncertainty(EntryReader& entry, std::vector<Reference>& references) {
  UncertaintyRecord record;
  const Located device = entry.text("device");
  const Located framework = entry.text("framework");
  references.push_back({Section::devices, device});
  references.push_back({Section::frameworks, framework});
  record.device = device.text;
  record.framework = framework.text;
  record.architecture = entry.given_text("architecture").value_or(Located{}).text;
  record.maker = entry.given_text("maker").value_or(Located{}).text;
  read_fields(entry, uncertainty_fields(), record);
  return record;
}

TraitRecord read_trait(EntryReader& entry, std::vector<Reference>& references) {
  TraitRecord record;
  entry.either({"trait", "factor", "framework"}, {"relative"});
  read_fields(entry, trait_fields(), record);
  const std::optional<Located> trait = entry.given_text("trait");
  const std::optional<Located> framework = entry.given_text("framework");
  record.rows = entry.given_integer("rows").value_or(0);
  if (trait) {
    record.trait = technology::trait_names.find(trait->text);
    if (!record.trait) {
      entry.table().error("trait",
                          fmt::format("unknown trait '{}'{}", trait->text,
                                      suggestion(trait->text, technology::trait_names.list())));
    }
  }
  const bool is_of_cases = trait && !(record.trait && technology::is_evidence(*record.trait));
  record.value = entry.needed(is_of_cases ? "factor" : "relative");
  if (entry.has(is_of_cases ? "relative" : "factor")) {
    entry.table().error(
        is_of_cases ? "relative" : "factor",
        is_of_cases ? "'relative' belongs to an entry without 'trait'"
        : trait     ? fmt::format("'factor' belongs to traits of cases, which '{}' is not; give "
                                      "'relative'",
                                  trait->text)
                    : "'factor' belongs to an entry with 'trait'");
  }
  if (framework && !is_of_cases) {
    entry.table().error("framework", "'framework' needs 'trait': what was measured in it");
  }
  if (framework) {
    references.push_back({Section::frameworks, *framework});
    record.framework = framework->text;
  }
  return record;
}

}  // namespace scalesweep::catalog
