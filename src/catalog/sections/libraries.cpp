// What the kernels of a library take on one device, and which stacks launch them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "catalog/sections/core_fields.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

// A table that stands in place of that of the device where it is there.
template <class Part>
Fields<LibraryRecord> in_place(Key table, std::optional<Part> LibraryRecord::*part,
                               const Fields<Part>& fields) {
  table.need = Need::optional;
  table.fallback = "that of the device";
  return read_by_table<LibraryRecord>(table, keys_of(fields),
                                      [=](EntryReader& entry, LibraryRecord& record) {
                                        if (entry.has(table.path)) {
                                          EntryReader group = entry.group(table.path);
                                          read_fields(group, fields, (record.*part).emplace());
                                        }
                                      });
}

const Fields<LibraryRecord>& library_fields() {
  static const Fields<LibraryRecord> fields = joined<LibraryRecord>(
      {{value(&LibraryRecord::library, "library", "its name and version, as stacks write it",
              "\"flashinfer 0.6\""),
        choice(name("kernels", "which of its kernels: `gemm`, `attention`", "\"attention\"",
                    "\"gemm\""),
               &LibraryRecord::kernels, library_kernels_names)},
       by_hand<LibraryRecord>(
           {name("device", "an entry of `device` that they run on", "\"h100-sxm\"", "`template`"),
            name("template", "in its place an entry of `template`: all that is derived from it",
                 "\"hopper\"", "`device`")}),
       by_precision(table("tensor_sustained",
                          "of GEMM: fraction of the peak that the inner loop reaches while cool, "
                          "by precision",
                          "that of the device"),
                    number("*", fraction, "of one", "0.89", "that of the device"),
                    &LibraryRecord::tensor_sustained),
       in_place(matmul_table(), &LibraryRecord::matmul, matmul_fields()),
       in_place(attention_table(), &LibraryRecord::attention, attention_fields()),
       by_hand<LibraryRecord>({name("fit",
                                    "an entry of `fit`: what holds of such kernels on all devices "
                                    "alike",
                                    "\"default\"", "that of the device")})});
  return fields;
}

// Constants of kernels that the entry is not of would do nothing.
void refuse_others(EntryReader& entry, const LibraryRecord& record) {
  const bool is_gemm = record.kernels == LibraryKernels::gemm;
  for (const std::string_view table : {"tensor_sustained", "matmul"}) {
    if (!is_gemm && entry.table().has(std::string(table))) {
      entry.table().error(std::string(table),
                          fmt::format("'{}' goes with kernels = \"gemm\"", table));
    }
  }
  if (is_gemm && entry.table().has("attention")) {
    entry.table().error("attention", "'attention' goes with kernels = \"attention\"");
  }
}

bool names(const workload::Framework& framework, const std::string& library) {
  const std::vector<std::string>& named = libraries_of(framework);
  return std::find(named.begin(), named.end(), library) != named.end();
}

// Its name without an alias: of an entry that was left behind as it is written.
std::string hardware_of(const CatalogData& data, std::string_view written) {
  const Entry* entry = data.entry(Section::devices, written);
  entry = entry != nullptr ? entry : data.entry(Section::templates, written);
  return entry != nullptr ? entry->name : std::string(written);
}

void take_kernels(const LibraryRecord& library, const FitRecord* fit, technology::Device& device) {
  device.libraries.push_back(
      fmt::format("{} of {}", library_kernels_names[library.kernels], library.library));
  if (library.kernels == LibraryKernels::attention) {
    device.attention = library.attention.value_or(device.attention);
    device.attention_fit = fit != nullptr ? fit->attention : device.attention_fit;
    return;
  }
  device.matmul = library.matmul.value_or(device.matmul);
  device.matmul_fit = fit != nullptr ? fit->matmul : device.matmul_fit;
  for (std::size_t i = 0; i < library.tensor_sustained.size(); ++i) {
    const double sustained = library.tensor_sustained[i];
    device.tensor_sustained[i] = sustained > 0.0 ? sustained : device.tensor_sustained[i];
  }
}

// Each library has its kernels of a kind on a device once.
void check_told_once(const CatalogData& data, Diagnostics& diagnostics) {
  std::map<std::tuple<std::string, std::string, LibraryKernels>, std::string> known;
  for (const auto& [name, record] : data.libraries) {
    const auto [first, is_new] = known.try_emplace(
        {record.library, hardware_of(data, record.hardware), record.kernels}, name);
    if (!is_new) {
      diagnostics.error(data.entry(Section::libraries, name)->position,
                        fmt::format("{} kernels of '{}' on {} are those of '{}', too; leave one of "
                                    "the two out",
                                    library_kernels_names[record.kernels], record.library,
                                    record.hardware, first->second));
    }
  }
}

// Two libraries of a stack that have the same kernels on a device leave open which are launched.
void check_chosen(const CatalogData& data, const workload::Framework& framework,
                  const SourcePosition& position, Diagnostics& diagnostics) {
  std::map<std::pair<std::string, LibraryKernels>, std::string> chosen;
  for (const auto& [name, record] : data.libraries) {
    if (!names(framework, record.library)) {
      continue;
    }
    const auto [first, is_new] =
        chosen.try_emplace({hardware_of(data, record.hardware), record.kernels}, record.library);
    if (!is_new && first->second != record.library) {
      diagnostics.error(
          position,
          fmt::format("'{}' and '{}' both have {} kernels on {}; name one of them", first->second,
                      record.library, library_kernels_names[record.kernels], record.hardware));
    }
  }
}

}  // namespace

std::vector<Key> library_rows() {
  return keys_of(library_fields());
}

LibraryRecord read_library(EntryReader& entry, std::vector<Reference>& references) {
  LibraryRecord record;
  entry.either({"device"}, {"template"});
  read_fields(entry, library_fields(), record);
  refuse_others(entry, record);
  if (const std::optional<Located> fit = entry.given_text("fit")) {
    references.push_back({Section::fits, *fit});
    record.fit = fit->text;
  }
  const std::optional<Located> device = entry.given_text("device");
  const std::optional<Located> architecture = entry.given_text("template");
  if (device.has_value() == architecture.has_value()) {
    entry.table().error(device ? "template" : "",
                        device ? "'template' stands in place of 'device'; leave one of them out"
                               : "missing key 'device', or 'template' in its place");
    return record;
  }
  references.push_back(
      {device ? Section::devices : Section::templates, device ? *device : *architecture});
  record.hardware = (device ? *device : *architecture).text;
  return record;
}

void check_libraries(const CatalogData& data, Diagnostics& diagnostics) {
  check_told_once(data, diagnostics);
  std::set<std::string> known;
  for (const auto& [name, record] : data.libraries) {
    known.insert(record.library);
  }
  for (const auto& [name, framework] : data.frameworks) {
    const SourcePosition& position = data.entry(Section::frameworks, name)->position;
    for (const std::string& library : libraries_of(*framework)) {
      if (!known.contains(library)) {
        diagnostics.error(
            position,
            fmt::format("'{}' names the library '{}', of which there is no entry{}", name, library,
                        suggestion(library, std::vector<std::string>(known.begin(), known.end()))));
      }
    }
    check_chosen(data, *framework, position, diagnostics);
  }
}

bool Catalog::names_libraries(std::string_view framework_name) const {
  return !libraries_of(framework(framework_name)).empty();
}

void Catalog::use_library(std::string_view hardware, std::string_view library,
                          technology::Device& device) const {
  const std::string wanted = hardware_of(*data_, hardware);
  for (const auto& [entry, record] : data_->libraries) {
    if (record.library == library && hardware_of(*data_, record.hardware) == wanted) {
      const auto fit = data_->fits.find(record.fit);
      take_kernels(record, fit != data_->fits.end() ? &fit->second : nullptr, device);
    }
  }
}

void Catalog::use_libraries(std::string_view hardware, std::string_view framework_name,
                            technology::Device& device) const {
  if (!has(Section::frameworks, framework_name)) {
    return;  // of a stack that nobody knows
  }
  for (const std::string& library : libraries_of(framework(framework_name))) {
    use_library(hardware, library, device);
  }
}

}  // namespace scalesweep::catalog
