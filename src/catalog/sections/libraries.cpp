// What the kernels of a library take on one device, and which stacks launch them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "catalog/sections/core_fields.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

// In place of that of the device.
Key of_library(Key table) {
  table.fallback = "that of the device";
  return table;
}

const Fields<LibraryRecord>& library_fields() {
  static const Fields<LibraryRecord> fields = joined<LibraryRecord>(
      {{value(&LibraryRecord::library, "library", "its name and version, as stacks write it",
              "\"flashinfer 0.6\""),
        choice(
            name("kernels", "which of its kernels: `gemm`, `attention`, `experts`, `collectives`",
                 "\"attention\"", "\"gemm\""),
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
       in_place(of_library(matmul_table()), &LibraryRecord::matmul, matmul_fields()),
       in_place(of_library(attention_table()), &LibraryRecord::attention, attention_fields()),
       in_place(of_library(expert_kernels_table()), &LibraryRecord::experts,
                expert_kernels_fields()),
       in_place(all_reduce_table(), &LibraryRecord::all_reduce, all_reduce_fields()),
       by_hand<LibraryRecord>({name("fit",
                                    "an entry of `fit`: what holds of such kernels on all devices "
                                    "alike",
                                    "\"default\"", "that of the device")})});
  return fields;
}

// A table that kernels of this kind cannot be without, and others have no use for. No fit says
// anything of them.
void need_table(const EntryReader& entry, const LibraryRecord& record, LibraryKernels of,
                const std::string& path, bool given) {
  const std::string_view kernels = library_kernels_names[of];
  const bool of_these = record.kernels == of;
  if (!of_these && entry.table().has(path)) {
    entry.table().error(path, fmt::format("'{}' goes with kernels = \"{}\"", path, kernels));
  }
  if (of_these && !given) {
    entry.table().error("", fmt::format("missing table '{}', of kernels = \"{}\"", path, kernels));
  }
  if (of_these && entry.table().has("fit")) {
    entry.table().error("fit", fmt::format("nothing in a fit is of {}; leave it out", path));
  }
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
  if (record.kernels != LibraryKernels::attention && entry.table().has("attention")) {
    entry.table().error("attention", "'attention' goes with kernels = \"attention\"");
  }
  need_table(entry, record, LibraryKernels::experts, "experts", record.experts.has_value());
  need_table(entry, record, LibraryKernels::collectives, "all_reduce",
             record.all_reduce.has_value());
}

// Kernels are looked for from the first to the last: one that ends before those ahead of it is
// never launched, nor is one that begins after its end.
void check_sizes(const EntryReader& entry, const technology::AllReduceKernels& kernels) {
  const std::array launched = {std::pair("one_shot", kernels.one_shot),
                               std::pair("two_shot", kernels.two_shot),
                               std::pair("multicast", kernels.multicast)};
  for (const double devices : {2.0, 4.0, 8.0}) {
    double taken = 0.0;
    for (const auto& [name, kernel] : launched) {
      const double up_to = kernel ? kernel->up_to.among(devices).si() : 0.0;
      if (up_to <= 0.0) {
        continue;
      }
      if (up_to <= taken || up_to < kernel->from.among(devices).si()) {
        entry.table().error(
            "all_reduce",
            fmt::format("{} of {} devices ends at {} B, before {}: it is never launched; give a "
                        "larger `up_to` or leave it out",
                        name, devices, up_to,
                        up_to <= taken ? "those ahead of it do" : "its `from`"));
      }
      taken = std::max(taken, up_to);
    }
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
  const std::string name =
      fmt::format("{} of {}", library_kernels_names[library.kernels], library.library);
  if (std::find(device.libraries.begin(), device.libraries.end(), name) == device.libraries.end()) {
    device.libraries.push_back(name);  // of experts there is an entry for each pair of formats
  }
  if (library.kernels == LibraryKernels::attention) {
    device.attention = library.attention.value_or(device.attention);
    device.attention_fit = fit != nullptr ? fit->attention : device.attention_fit;
    return;
  }
  if (library.all_reduce) {
    device.all_reduce = library.all_reduce;
    return;
  }
  if (library.experts) {
    // The formats are told once of a library; of two that a stack names the catalog has complained.
    device.experts.push_back(*library.experts);
    return;
  }
  device.matmul = library.matmul.value_or(device.matmul);
  device.matmul_fit = fit != nullptr ? fit->matmul : device.matmul_fit;
  for (std::size_t i = 0; i < library.tensor_sustained.size(); ++i) {
    const double sustained = library.tensor_sustained[i];
    device.tensor_sustained[i] = sustained > 0.0 ? sustained : device.tensor_sustained[i];
  }
}

// What only one of may be there: kernels of a kind on a device, of experts in a pair of formats.
using Kind = std::tuple<std::string, LibraryKernels, technology::Precision, technology::Precision>;
Kind kind_of(const CatalogData& data, const LibraryRecord& record) {
  const technology::ExpertKernels experts = record.experts.value_or(technology::ExpertKernels{});
  return {hardware_of(data, record.hardware), record.kernels, experts.operands, experts.weights};
}

// Each library has its kernels of a kind on a device once.
void check_told_once(const CatalogData& data, Diagnostics& diagnostics) {
  std::map<std::pair<std::string, Kind>, std::string> known;
  for (const auto& [name, record] : data.libraries) {
    const auto [first, is_new] = known.try_emplace({record.library, kind_of(data, record)}, name);
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
  std::map<Kind, std::string> chosen;
  for (const auto& [name, record] : data.libraries) {
    if (!names(framework, record.library)) {
      continue;
    }
    const auto [first, is_new] = chosen.try_emplace(kind_of(data, record), record.library);
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
  if (record.all_reduce) {
    check_sizes(entry, *record.all_reduce);
  }
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
