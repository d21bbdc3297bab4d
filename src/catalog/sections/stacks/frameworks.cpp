// Software that trains or serves: what it does in each kind of work, and which layouts it can run.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "catalog/data.hpp"
#include "catalog/sections/stacks/stacks.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::catalog {
namespace {

using workload::Framework;
using workload::Runs;

// A kind of work that some stacks alone do: those that have its table.
template <class Stack>
Fields<Framework> stack_table(const Key& table, bool Framework::*does, Stack Framework::*stack,
                              const Fields<Stack>& fields) {
  return read_by_table<Framework>(table, keys_of(fields),
                                  [=](EntryReader& entry, Framework& framework) {
                                    framework.*does = entry.has(table.path);
                                    if (framework.*does) {
                                      EntryReader group = entry.group(table.path);
                                      read_fields(group, fields, framework.*stack);
                                    }
                                  });
}

// A version in the name of an entry and one that its own layouts say are the same. Those that it
// takes over from another version say of which they are.
void check_version(const EntryReader& runs, const Framework& framework) {
  const std::string_view version = workload::stack_name(framework.name).version;
  const std::string& of_runs = framework.runs->version;
  if (!version.empty() && runs.table().has("version") && of_runs != version) {
    runs.table().error("version",
                       fmt::format("'{}' is of version {} by its name, and these are of {}; write "
                                   "one of both, or leave this out",
                                   framework.name, version, of_runs));
  }
}

std::string version_of(const Framework& framework) {
  const std::string_view version = workload::stack_name(framework.name).version;
  return version.empty() && framework.runs ? framework.runs->version : std::string(version);
}

Field<Framework> libraries_row() {
  Key key = name("libraries",
                 "of kernels that it launches, as entries of `library` name them; where none is of "
                 "a device, those that the device's entry speaks of",
                 "[\"flashinfer 0.6\"]", "none");
  key.list = true;
  return {key, [](EntryReader& entry, Framework& framework) {
            framework.libraries = entry.words("libraries");
          }};
}

// A day, "2025-10-02".
bool is_day(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd";
  return text.size() == form.size() &&
         std::equal(text.begin(), text.end(), form.begin(), [](char c, char wanted) {
           return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted;
         });
}

// Of the entry itself, whatever it rests on.
Field<Framework> own_text(std::string_view path, std::string_view description,
                          std::string_view example, std::string_view otherwise,
                          std::string Framework::*member) {
  return {row(path, KeyKind::text, description, example, otherwise),
          [path, member](EntryReader& entry, Framework& framework) {
            if (entry.table().has(std::string(path))) {
              framework.*member = entry.text_or(path, "");
            }
          }};
}

// A version that takes over what another one does came on another day.
Field<Framework> released_row() {
  Field<Framework> day = own_text("released", "the day on which this version came out",
                                  "\"2025-10-02\"", "not said", &Framework::released);
  day.read = [read = day.read](EntryReader& entry, Framework& framework) {
    read(entry, framework);
    if (entry.table().has("released") && !is_day(framework.released)) {
      entry.table().error("released", fmt::format("'{}' is no day; write one like \"2025-10-02\"",
                                                  framework.released));
    }
  };
  return day;
}

// What takes over a port's numbers does not stand for its stack.
Fields<Framework> port_rows() {
  return {own_text("port_of",
                   "the stack that this one is on certain devices: whoever names that one means "
                   "this one there",
                   "\"vllm\"", "no port", &Framework::port_of),
          own_text("port_devices", "how the names of these devices begin", "\"mi\"", "all",
                   &Framework::port_devices)};
}

Fields<Framework> runs_table() {
  const Key runs = table("runs",
                         "which layouts it can run: `launch` writes options for these alone. "
                         "No estimate reads it; a study may ask for any layout",
                         "nobody knows");
  const Fields<Runs> fields = runs_fields();
  return read_by_table<Framework>(runs, keys_of(fields),
                                  [=](EntryReader& entry, Framework& framework) {
                                    if (entry.has(runs.path)) {
                                      EntryReader group = entry.group(runs.path);
                                      read_fields(group, fields, framework.runs.emplace());
                                      check_version(group, framework);
                                    }
                                  });
}

const Fields<Framework>& framework_fields() {
  static const Fields<Framework> fields = joined<Framework>(
      {training_stack_fields(),
       stack_table(table("serving",
                         "how it serves requests; an iteration is one pass through the model for "
                         "all sequences in flight",
                         "it does not"),
                   &Framework::serves, &Framework::serving, serving_stack_fields()),
       stack_table(table("recommendation", "how it trains and scores models with embedding tables",
                         "it does neither"),
                   &Framework::recommends, &Framework::recommendation,
                   recommendation_stack_fields()),
       stack_table(table("diffusion", "how it runs models that make images or videos of noise",
                         "it does not"),
                   &Framework::diffuses, &Framework::diffusion, diffusion_stack_fields()),
       {libraries_row(), released_row()},
       port_rows(),
       runs_table()});
  return fields;
}

}  // namespace

Fields<Runs> runs_fields() {
  Key zero = or_zero(integer("zero", "stages of ZeRO that it has", "[0, 1]", "0"));
  zero.list = true;
  Key precisions = name("precisions", "formats of linear layers that it multiplies",
                        "[\"bf16\", \"fp8\"]", "any");
  precisions.words = technology::precision_names;
  precisions.list = true;
  Fields<Runs> fields = {
      field(row("version", KeyKind::text, "of the software, that the table is of", "\"core_r0.12\"",
                "not said"),
            &Runs::version),
      {zero,
       [](EntryReader& entry, Runs& runs) {
         if (entry.has("zero")) {
           runs.zero = entry.integers("zero");
         }
       }},
      or_zero(value(&Runs::zero_with_pipeline, "zero_with_pipeline",
                    "the largest of these stages with several pipeline stages", "1", "3")),
      choice(name("sequence_parallel",
                  "sequence parallelism where matrices are shared: `never`, `optional`, `always`",
                  "\"optional\"", "\"never\""),
             &Runs::sequence_parallel, workload::sequence_split_names),
      {precisions,
       [](EntryReader& entry, Runs& runs) { runs.precisions = entry.words("precisions"); }},
  };
  for (const workload::Ability& one : workload::abilities) {
    fields.push_back(truth(one.can, one.key(), kept("it runs " + std::string(one.text)), "false"));
  }
  return fields;
}

const std::vector<std::string>& libraries_of(const Framework& framework) {
  return framework.libraries;
}

std::vector<Key> framework_rows() {
  return heritable(keys_of(framework_fields()));
}

std::shared_ptr<const Framework> read_framework(EntryReader& entry, const std::string& name) {
  Framework framework = read_named(entry, name, framework_fields());
  // What the stacks of several kinds share.
  framework.serving.stage_balance = framework.training.stage_balance;
  framework.serving.composed = framework.training.composed;
  framework.diffusion.replicas = framework.training.replicas;
  framework.version = version_of(framework);
  return std::make_shared<const Framework>(std::move(framework));
}

}  // namespace scalesweep::catalog
