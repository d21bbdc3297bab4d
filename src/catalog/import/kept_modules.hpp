// Which linear layers the names of modules in a quantization_config mean, and which formats those
// have in the end. Internal to the layer.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "technology/precision.hpp"

namespace scalesweep::catalog {

// Weights as stored, and what they are multiplied in where that is wider.
struct StoredFormat {
  technology::Precision weights = technology::Precision::bf16;
  std::optional<technology::Precision> operands = std::nullopt;

  bool is_wide() const { return technology::element_bytes(weights) >= 2.0; }
  friend bool operator==(const StoredFormat&, const StoredFormat&) = default;
  friend auto operator<=>(const StoredFormat&, const StoredFormat&) = default;
};

enum class ModulePart : std::uint8_t { experts, mlp, shared, attention, attention_output, head };
inline constexpr auto module_part_names = enum_names<ModulePart>(
    "routed experts", "MLPs", "shared experts", "attention", "attention's output", "head");

// What a name, a glob or a regular expression ("re:...") means; nothing of modules that are in 16
// bits anyway (routers, norms, encoders), and of names that are not known.
struct NamedModules {
  std::set<ModulePart> parts;
  std::set<std::string> inputs;       // of attention, which of its first projections
  std::optional<std::int64_t> layer;  // nothing: of all
  bool is_known = true;
};
NamedModules modules_of(const std::string& name);

// How many layers of a model have a part.
struct PartLayers {
  std::int64_t all = 0;
  std::int64_t experts = 0;
  std::int64_t first_dense = 0;  // without experts, before those that have some
  std::int64_t every = 1;        // of the others, those that have some
  bool has_shared_experts = false;
};

// Formats by part, from a usual one and what is said of names.
class ModuleFormats {
 public:
  ModuleFormats(const PartLayers& layers, const StoredFormat& usual)
      : layers_(layers), usual_(usual) {}

  // False of a name that is not known.
  bool say(const std::string& name, const StoredFormat& format);
  // Of most layers that have the part.
  StoredFormat of(ModulePart part) const;
  // "attention of 2 of 48 layers": parts with layers that differ from most.
  std::vector<std::string> uneven() const;
  bool has(ModulePart part) const { return layers_of(part) > 0; }

 private:
  using Layers = std::set<std::int64_t>;

  std::int64_t layers_of(ModulePart part) const;
  bool may_have(std::int64_t layer, ModulePart part) const;
  void add(ModulePart part, const std::optional<std::int64_t>& layer, const StoredFormat& format);

  PartLayers layers_;
  StoredFormat usual_;
  std::array<std::map<StoredFormat, Layers>, module_part_names.size()> said_;
  std::array<std::optional<StoredFormat>, module_part_names.size()> all_;
  // Of first projections of attention that are named one by one, those of a layer; -1: of all.
  std::map<std::pair<StoredFormat, std::int64_t>, std::set<std::string>> inputs_;
};

}  // namespace scalesweep::catalog
