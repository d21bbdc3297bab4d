#include "space/read/spec_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/key_relations.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "space/axes/phases.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/read/spec_precision.hpp"
#include "space/requests/request_trace.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// What this kind says where another one has a key.
std::string instead_text(const Key& key, const WorkloadForm& form, const WorkloadForms& forms) {
  const bool names_model = std::any_of(forms.begin(), forms.end(), [&](const WorkloadForm* other) {
    return other->model_key == key.name();
  });
  if (names_model && form.has(form.model_key)) {
    return fmt::format("; write {}", form.model_key);
  }
  // What keys say themselves is of requests and of sequences.
  const std::string_view own = form.model_key == "model" ? key.instead : std::string_view{};
  const std::string_view instead = key.name() == form.refused_key ? form.instead : own;
  return instead.empty() ? "" : fmt::format("; {}", instead);
}

// Of every kind, in one order.
std::vector<const Key*> keys_of_all(const WorkloadForms& forms) {
  std::vector<const Key*> all = keys_in("workload");
  for (const WorkloadForm* form : forms) {
    for (const keys::Row& row : form->own_rows) {
      all.push_back(&row.key);
    }
  }
  return all;
}

void refuse_other_kinds(const TableCursor& workload, const WorkloadForm& form,
                        const WorkloadForms& forms) {
  std::set<std::string_view> refused;
  for (const Key* key : keys_of_all(forms)) {
    if (form.has(key->name()) || !workload.has(key->name()) ||
        !refused.insert(key->name()).second) {
      continue;
    }
    std::vector<std::string> names;
    for (const WorkloadForm* other : forms) {
      if (other->has(key->name())) {
        names.push_back(fmt::format("\"{}\"", other->name));
      }
    }
    workload.error(key->name(),
                   fmt::format("'{}' goes with kind = {}, not \"{}\"{}", key->name(),
                               join(names, " or "), form.name, instead_text(*key, form, forms)));
  }
}

// A mean number of tokens, or a share.
double positive_number(const TableCursor& table, const std::string& key, double fallback,
                       bool required) {
  const auto number = required ? table.number(key) : table.optional_number(key);
  if (number && !(*number > 0.0)) {
    table.error(key, fmt::format("{} must be above 0, not {}", key, *number));
  }
  return number.value_or(fallback);
}

// By another key, or by phases that say it.
bool is_replaced(const TableCursor& workload, const Key& key) {
  const bool by_key = !key.unless.empty() && key.unless != "phases" && workload.has(key.unless);
  return by_key || phases_say(workload, key.name());
}

// The kind that has most of the keys, where none is named: no mistakes follow from that one.
const WorkloadForm& probable_kind(const TableCursor& workload, const WorkloadForms& forms) {
  const auto written = [&](const WorkloadForm* form) {
    const std::vector<const Key*> keys = form->keys_of("workload");
    return std::count_if(keys.begin(), keys.end(),
                         [&](const Key* key) { return workload.has(key->name()); });
  };
  return **std::max_element(
      forms.begin(), forms.end(),
      [&](const WorkloadForm* a, const WorkloadForm* b) { return written(a) < written(b); });
}

}  // namespace

const WorkloadForm& read_kind(const TableCursor& workload, const WorkloadForms& forms) {
  if (workload.exists() && !workload.has("kind")) {
    std::string kinds;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const bool is_last = i + 1 == forms.size();
      kinds += fmt::format("{}\"{}\"", i == 0 ? "" : is_last ? " or " : ", ", forms[i]->name);
    }
    workload.error(fmt::format("missing key 'kind'; write for example kind = {}", kinds));
    return probable_kind(workload, forms);
  }
  const auto kind = workload.string("kind");
  if (!kind) {
    return probable_kind(workload, forms);
  }
  std::vector<std::string> names;
  for (const WorkloadForm* form : forms) {
    if (form->name == *kind) {
      return *form;
    }
    names.emplace_back(form->name);
  }
  workload.error("kind",
                 fmt::format("unknown kind of workload '{}'{}", *kind, suggestion(*kind, names)));
  return probable_kind(workload, forms);
}

void read_workload(AxisReader& reader, const TableCursor& workload, const WorkloadForm& form,
                   const WorkloadForms& forms, const std::vector<TrainingPhase>& phases) {
  refuse_other_kinds(workload, form, forms);
  for (const Key* key : form.keys_of("workload")) {
    if (key->axis.empty() || is_replaced(workload, *key)) {
      continue;
    }
    if (key->axis == phase_axis) {
      if (!phases.empty()) {
        reader.add(axis_of(phases));
      }
      continue;
    }
    const bool has_tables = key->kind == config::KeyKind::names_or_tables;
    const auto precision = has_tables ? workload.value("precision") : std::nullopt;
    if (!precision) {
      reader.read(workload, *key);
    } else if (auto axis = read_precision_axis(*precision, form)) {
      reader.add(std::move(*axis));
    }
  }
  config::check_relations(workload, form.keys_of("workload"));
}

namespace {

// A path is meant from the folder of the spec.
Requests read_trace(const ValueCursor& value, const std::string& spec_file,
                    Diagnostics& diagnostics) {
  const auto name = value.string();
  if (!name) {
    return {};
  }
  const std::filesystem::path path = std::filesystem::path(spec_file).parent_path() / *name;
  std::string text;
  try {
    text = read_file(path);
  } catch (const Failure& failure) {
    value.error(
        fmt::format("{}; a trace of requests is a CSV file, named from the folder of the "
                    "spec",
                    failure.what()));
    return {};
  }
  auto reduced = reduce_trace(path.string(), text, value.position(), diagnostics);
  return reduced ? Requests{std::move(reduced->requests), std::move(reduced->trace)} : Requests{};
}

}  // namespace

Requests read_requests(const TableCursor& workload, const WorkloadForm& form,
                       const std::string& spec_file, const std::optional<ReducedTrace>& known,
                       Diagnostics& diagnostics) {
  std::vector<RequestClass> requests;
  const auto value = workload.value("requests");
  if (!value || !form.has("requests")) {
    return {};
  }
  if (value->form() == ValueCursor::Form::string && known) {
    return {known->requests, known->trace};
  }
  if (value->form() == ValueCursor::Form::string) {
    return read_trace(*value, spec_file, diagnostics);
  }
  const std::vector<ValueCursor> classes = value->list_or_single();
  if (classes.empty()) {
    value->error("'requests' is an empty list; give at least one class of requests");
  }
  for (const ValueCursor& one : classes) {
    if (one.form() != ValueCursor::Form::table) {
      one.error(
          "a class of requests is a table, for example { prompt = 500, output = 200, share = 0.7 "
          "}; of real requests name one file, requests = \"trace.csv\"");
      continue;
    }
    const TableCursor table = one.table();
    requests.push_back({positive_number(table, "prompt", 1.0, true),
                        positive_number(table, "output", 1.0, true),
                        positive_number(table, "share", 1.0, false), one.position()});
  }
  return {std::move(requests)};
}

}  // namespace scalesweep::space
