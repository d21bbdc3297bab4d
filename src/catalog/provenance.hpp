// Where a catalogued value comes from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "core/enum_names.hpp"

namespace scalesweep::catalog {

enum class Section : std::uint8_t {
  devices,
  logic,
  memories,
  scale_up,
  scale_out,
  templates,
  models,
  recommenders,
  diffusion_models,
  frameworks,
  optimizers,
  processes,
  packages,
  topologies,
  economics,
  reliability,
  storage,
  uncertainties,
  traits,
  fits,
  libraries,
};
inline constexpr auto section_names = enum_names<Section>(
    "devices", "logic", "memories", "scale_up", "scale_out", "templates", "models", "recommenders",
    "diffusion_models", "frameworks", "optimizers", "processes", "packages", "topologies",
    "economics", "reliability", "storage", "uncertainties", "traits", "fits", "libraries");
inline constexpr std::size_t section_count = section_names.size();
constexpr std::string_view name_of(Section section) {
  return section_names[section];
}

// How much a value can be trusted, from most to least.
enum class SourceKind : std::uint8_t {
  measured,      // by someone who wrote down how
  datasheet,     // the maker's document of a product that is sold
  published,     // a paper or a standard
  vendor_claim,  // announced, of a product or process as a whole
  analyst,       // third parties who measured or estimated
  calibrated,    // fitted to measured values
  derived,       // computed from other values; the note says how
  roadmap,       // for something that does not exist yet
  assumed,       // a choice without a source; the note says why this one
  unverified,    // from memory or from one secondary source
};
inline constexpr auto source_kind_names =
    enum_names<SourceKind>("measured", "datasheet", "published", "vendor claim", "analyst",
                           "calibrated", "derived", "roadmap", "assumed", "unverified");
inline constexpr std::size_t source_kind_count = source_kind_names.size();
constexpr std::string_view name_of(SourceKind kind) {
  return source_kind_names[kind];
}

// One value of an entry as the file writes it.
struct Value {
  std::string key;     // "tensor_peak.bf16"
  std::string text;    // "312 TFLOP/s"
  std::string source;  // the citation
  SourceKind kind = SourceKind::unverified;
  std::string note;
  SourcePosition position;
  std::vector<double> numbers;     // in SI, where it is one or a list of them
  std::vector<std::string> words;  // where it is a list of names
  // Of a value that the entry lacks: the entry that states it, and whether it grew with the rate.
  std::string from;
  bool scaled = false;
};

// A file of entries beside those of the catalog.
struct Overlay {
  std::string name;    // of the file, without its folders
  std::string sha256;  // of its text
};

struct Entry {
  Section section = Section::devices;
  std::string name;
  std::vector<std::string> aliases;
  SourcePosition position;
  std::string text;                        // of the entry in its file, comments included
  std::shared_ptr<const Overlay> overlay;  // that it stands in; null: the catalog itself
  std::vector<Value> values;
  // Of the same section, "" if there is none: the generation before, or else a relative. What the
  // entry lacks is theirs.
  std::string predecessor;
  std::string like;
  // Of the same section, "" if there is none: of a link what joins blocks inside, with ports where
  // it has them; of a model its encoder.
  std::string inside;
  // Keys of a template that neither it nor what it rests on gives.
  std::vector<std::string> lacking;

  // Nothing where neither the entry nor what it rests on gives it.
  const Value* value(std::string_view key) const {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [key](const Value& each) { return each.key == key; });
    return found == values.end() ? nullptr : &*found;
  }
};

// "devices h100-sxm": of no other entry.
inline std::string id_of(const Entry& entry) {
  return std::string(name_of(entry.section)) + " " + entry.name;
}

// The overlays of entries, by their ids.
using OverlaysByEntry = std::map<std::string, std::shared_ptr<const Overlay>>;

}  // namespace scalesweep::catalog
