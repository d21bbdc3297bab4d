// Rows of what a software stack does in each kind of work, beside frameworks.cpp. Internal to the
// folder.
#pragma once

#include "catalog/sections/field.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {

// Kernels and communication of training, with what replicas send: keys of the entry itself.
Fields<workload::Framework> training_stack_fields();
// In tables of the entry.
Fields<workload::ServingStack> serving_stack_fields();
Fields<workload::RecommendationStack> recommendation_stack_fields();
Fields<workload::DiffusionStack> diffusion_stack_fields();
Fields<workload::Runs> runs_fields();

// Rows that several stacks have.
template <class Record>
Field<Record> duration(double Record::*member, std::string_view path, std::string_view text,
                       std::string_view example) {
  return or_zero(quantity(member, Dimension::seconds, path, text, example, "\"0 s\""));
}
template <class Record>
Field<Record> core_flop_limit(double Record::*member, std::string_view text,
                              std::string_view example) {
  return number(member, above_zero, "attention_core_flop", text, example, "no limit");
}
Key dispatch_key(std::string_view text, std::string_view fallback);

// How operands of fp8 are scaled.
template <class Record>
Field<Record> fp8_recipe(workload::Recipe Record::*member) {
  Key key = name("fp8_recipe",
                 "how operands of fp8 are scaled where the study does not say `recipe`: `delayed`, "
                 "`current`, `row`, `block`",
                 "\"current\"", "\"delayed\"");
  key.words = workload::fp8_recipe_names;
  return {key, [member](EntryReader& entry, Record& record) {
            const workload::Recipe recipe =
                read_choice(entry, "fp8_recipe", workload::recipe_names, record.*member);
            if (!workload::goes_with(recipe, "fp8")) {
              entry.table().error(
                  "fp8_recipe",
                  fmt::format("{} scales operands of {}; write one of fp8: {}",
                              workload::recipe_names[recipe], workload::row_of(recipe).format,
                              fmt::join(workload::fp8_recipe_names, ", ")));
            }
            record.*member = recipe;
          }};
}

}  // namespace scalesweep::catalog
