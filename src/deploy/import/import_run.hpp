// Configurations of other programs as specs and entries of the catalog. Formats and names of keys
// are from memory, unverified, as those of options that are written are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "deploy/import/imported.hpp"

namespace scalesweep::deploy {

enum class ImportFormat : std::uint8_t {
  megatron_lm,
  torchtitan,
  calculon,
  llmcompass,
  rapid_llm,
  aiconfigurator,
};
inline constexpr auto import_format_names = enum_names<ImportFormat>(
    "megatron-lm", "torchtitan", "calculon", "llmcompass", "rapid-llm", "aiconfigurator");

struct GivenFile {
  std::string name;
  std::string text;
};

// What a file looks like; nothing where it is of no format.
std::optional<ImportFormat> format_of(const GivenFile& file);

// Of one run or device; several files are of Calculon alone (application, system, execution).
Imported import_files(ImportFormat format, const std::vector<GivenFile>& files,
                      const catalog::Catalog& catalog, const ImportQuestion& question);

// Each of its kind; keys that were read are marked.
Imported import_megatron(GivenKeys& keys, const catalog::Catalog& catalog,
                         const ImportQuestion& question);
Imported import_torchtitan(GivenKeys& keys, const catalog::Catalog& catalog,
                           const ImportQuestion& question);
Imported import_calculon(std::vector<GivenKeys>& files, const catalog::Catalog& catalog,
                         const ImportQuestion& question);
Imported import_llmcompass(GivenKeys& keys, const catalog::Catalog& catalog,
                           const ImportQuestion& question);
Imported import_rapid_llm(GivenKeys& keys, const catalog::Catalog& catalog,
                          const ImportQuestion& question);
Imported import_aiconfigurator(GivenKeys& keys, const catalog::Catalog& catalog,
                               const ImportQuestion& question);

// The model that options of Megatron-LM describe, `vocab` 0 where they do not say it.
workload::TransformerModel megatron_model_of(GivenKeys& keys);
// What they say of the layout and the workload; of both directions there is one table
// (targets/megatron_lm.cpp).
void read_megatron_layout(GivenKeys& keys, Imported& imported);

}  // namespace scalesweep::deploy
