#include "cli/options/options.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <vector>

#include "catalog/load/project_entries.hpp"
#include "cli/output/terminal.hpp"
#include "cli/recommend/spec/assumptions.hpp"
#include "core/host/installation.hpp"
#include "core/text.hpp"
#include "study/identity.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/used_entries.hpp"

namespace scalesweep::cli {
namespace fs = std::filesystem;

std::shared_ptr<CatalogChoice> add_catalog_option(Command& command) {
  auto choice = std::make_shared<CatalogChoice>();
  command.option("--catalog", choice->folder, "FOLDER",
                 "Folder of technologies, devices, networks and models (default: "
                 "$SCALESWEEP_NODES, else the nodes that came with scalesweep)");
  command
      .option("--catalog-add", choice->added, "PLACE",
              "Entries of one's own beside these: a .toml file or a folder of them; may be given "
              "several times. A folder nodes/ beside a spec is added by itself")
      .repeated();
  return choice;
}

std::shared_ptr<Format> add_format_option(Command& command, bool with_csv) {
  auto format = std::make_shared<Format>(Format::text);
  std::vector<std::pair<std::string, Format>> words = {{"text", Format::text},
                                                       {"json", Format::json}};
  if (with_csv) {
    words.emplace_back("csv", Format::csv);
  }
  const std::string names = with_csv ? "text, json or csv" : "text or json";
  const auto take = [format, words, names](const std::string& word) {
    for (const auto& [name, choice] : words) {
      if (name == word) {
        *format = choice;
        return std::string();
      }
    }
    return fmt::format("'{}' is not {}", word, names);
  };
  command.parsed_option("--format", take, "FORMAT",
                        fmt::format("What to print on standard output: {} (default: text)", names));
  std::vector<std::string> choices;
  for (const auto& [name, choice] : words) {
    choices.push_back(name);
  }
  command.choices("--format", choices);
  return format;
}

catalog::Places find_catalog(const CatalogChoice& choice) {
  catalog::Places places = {scalesweep::find_catalog(choice.folder, "--catalog"), {}};
  for (const std::string& place : choice.added) {
    if (!fs::exists(place)) {
      throw Failure(ExitCode::no_input,
                    fmt::format("--catalog-add {}: no such file or folder; give a .toml file of "
                                "entries, or a folder of such files",
                                place));
    }
    places.overlays.emplace_back(place);
  }
  return places;
}

std::optional<study::Study> load_study(const std::string& spec_file, const CatalogChoice& catalog,
                                       const Streams& streams) {
  Diagnostics diagnostics;
  catalog::Places places = find_catalog(catalog);
  const std::string left_alone = catalog::add_project_entries(spec_file, places);
  tell(streams, left_alone);
  std::optional<study::Study> study = study::Study::load(spec_file, places, diagnostics);
  tell(streams, diagnostics.text());
  if (diagnostics.has_errors()) {
    tell(streams,
         fmt::format("scalesweep: {} mistake{}; nothing was run\n", diagnostics.error_count(),
                     diagnostics.error_count() == 1 ? "" : "s"));
    return std::nullopt;
  }
  tell(streams, overlay_note(*study));
  return study;
}

std::string overlay_note(const study::Study& study) {
  const auto entries = study::with_bases(study.catalog(), study.entries());
  std::vector<std::string> words;
  std::size_t unused = 0;
  for (const auto& overlay : study.catalog().overlays()) {
    std::vector<std::string> used;
    for (const catalog::Entry* entry : entries) {
      if (entry->overlay == overlay) {
        used.push_back(id_of(*entry));
      }
    }
    unused += used.empty() ? 1 : 0;
    if (!used.empty()) {
      words.push_back(fmt::format("{} ({})", overlay->name, join(used, ", ")));
    }
  }
  if (unused > 0) {
    words.push_back(fmt::format("{} of which nothing is used", unused));
  }
  return words.empty() ? "" : fmt::format("note: overlays: {}\n", join(words, "; "));
}

std::string unverified_note(const study::Study& study) {
  constexpr std::size_t shown = 3;
  const std::vector<std::string> names = study.unverified();
  if (names.empty()) {
    return "";
  }
  return fmt::format(
      "note: {} of the {} catalog values used are unverified ({}); 'scalesweep catalog show NAME' "
      "tells their sources\n",
      names.size(), study::value_count(study.entries()), join_first(shown, names));
}

namespace {

// Whose the facts of a template are: of the device that it gives back, or, where it rests on
// another template, of that one but for those that it states itself.
std::string owner_of(const catalog::Entry& design, const catalog::Catalog& catalog) {
  if (design.predecessor.empty() && design.like.empty()) {
    return "those of " + catalog.architecture(design.name).calibrated_on;
  }
  std::size_t stated = 0;
  std::vector<std::pair<std::string, std::string>> taken;  // from whom, and what, in their order
  for (const catalog::Value& value : design.values) {
    if (value.from.empty()) {
      ++stated;
      continue;
    }
    auto of = std::find_if(taken.begin(), taken.end(),
                           [&](const auto& each) { return each.first == value.from; });
    if (of == taken.end()) {
      taken.emplace_back(value.from, value.key);
    } else {
      of->second += ", " + value.key;
    }
  }
  std::string rest;
  for (const auto& [from, keys] : taken) {
    rest += fmt::format("{} those of {} ({})", rest.empty() ? "" : ",", from, keys);
  }
  return fmt::format(
      "of no device: {} of {} are stated for it and the rest{} "
      "('scalesweep catalog show {}')",
      stated, design.values.size(), rest, design.name);
}

}  // namespace

std::string template_note(const study::Study& study) {
  std::string notes;
  for (const catalog::Entry* entry : study.entries()) {
    if (entry->section == catalog::Section::templates) {
      notes += fmt::format(
          "note: on every node, derived devices have the FLOP a clock, the latencies and the "
          "kernels of their template {}, which are {}; there are {}\n",
          entry->name, owner_of(*entry, study.catalog()),
          join(study.catalog().names(catalog::Section::templates), ", "));
    }
  }
  return notes;
}

std::string framework_note(const study::Study& study) {
  const std::vector<space::Axis>& axes = study.space().axes();
  const auto framework = space::find_axis(axes, "framework");
  const auto device = space::find_axis(axes, "device");
  const bool trains = &study.kind() == &study::training_kind();
  const bool serves = &study.kind() == &study::serving_kind();
  if (!(trains || serves) || !framework || !axes[*framework].is_default || !device) {
    return "";
  }
  Devices devices;
  for (const std::string& name : axes[*device].labels) {
    for (const std::string& meant : study.catalog().meant(catalog::Section::devices, name)) {
      devices.push_back(study.catalog().device(meant));
    }
  }
  const std::string usual =
      usual_framework(trains ? Aim::training : Aim::serving, devices, {"bf16"}, study.catalog());
  const std::string& taken = axes[*framework].labels.front();
  return taken == usual
             ? ""
             : fmt::format(
                   "note: no framework is named, and {}{} is taken; recommend takes {} in its "
                   "place: write 'framework = \"{}\"' for what it answers\n",
                   taken, trains ? ", which nobody measured," : "", usual, usual);
}

}  // namespace scalesweep::cli
