#include "catalog/keys/catalog_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catalog/keys/rows.hpp"
#include "config/key_schema.hpp"

namespace scalesweep::catalog {
namespace {

struct SectionRows {
  std::string_view table;
  std::string_view text;
  std::vector<Key> (*rows)();
};
// What is taken over as bytes of a constant time.
constexpr std::array<std::string_view, 2> grows_with_bandwidth = {"half_size",
                                                                  "in_network_half_size"};

// In the order of Section.
constexpr std::array<SectionRows, section_count> sections = {{
    {"device", "accelerators and processors as sold", device_rows},
    {"logic", "logic nodes, as factors against N7", logic_rows},
    {"memory", "DRAM by the stack (HBM), device (GDDR), package (LPDDR) or channel (DDR)",
     memory_rows},
    {"scale_up", "links that join the devices of a domain", link_rows},
    {"scale_out", "networks between domains, by the port", port_rows},
    {"template", "architectures whose size and clock are open", template_rows},
    {"model", "transformers", model_rows},
    {"recommender", "models with embedding tables", recommender_rows},
    {"diffusion_model", "models that make images or videos of noise", diffusion_model_rows},
    {"framework",
     "software that trains or serves; all may be left out, but `issue_interval` of "
     "one without `serving`, `recommendation` and `diffusion`",
     framework_rows},
    {"optimizer", "how weights follow from gradients", optimizer_rows},
    {"process", "making wafers", process_rows},
    {"package", "what carries dies and memory stacks", package_rows},
    {"topology", "how the ports of a scale-out network are joined", topology_rows},
    {"economics", "assumptions about buying and running", economics_rows},
    {"reliability", "how often parts of a system fail, and what follows", reliability_rows},
    {"storage", "where checkpoints and input lie", storage_rows},
    {"uncertainty", "how far estimates were from measurements", uncertainty_rows},
    {"trait",
     "how far estimates were from measurements with what only some layouts, models and "
     "workloads have",
     trait_rows},
    {"fit", "what holds of kernels and collectives on all devices alike", fit_rows},
    {"library", "what the kernels of a library take on one device, for stacks that name it",
     library_rows},
}};

// What an entry, a table in it or a single value says of where it comes from.
std::vector<Key> note_rows() {
  Key kind = name("kind", "how far a value can be trusted", "\"datasheet\"", "that of the entry");
  kind.words = source_kind_names;
  return {name("source", "a key of `[sources]`", "\"sheet\"", "that of the entry"), kind,
          row("note", KeyKind::text, "for people", "\"table 2, empty kernel\"", "none")};
}

// The rows of a section with the notes of the entry and of each of its tables.
std::vector<Key> with_notes(std::vector<Key> keys) {
  std::vector<std::string> tables = {""};
  for (const Key& key : keys) {
    if (key.kind == KeyKind::table) {
      tables.push_back(std::string(key.path) + ".");
    }
  }
  Key aliases = name("aliases", "other names that a study may use", "[\"h100\"]", "none");
  aliases.list = true;
  keys.push_back(aliases);
  for (const std::string& table : tables) {
    for (Key note : note_rows()) {
      note.path = kept(table + std::string(note.path));
      keys.push_back(note);
    }
  }
  return keys;
}

bool is_there(const std::vector<Key>& keys, std::string_view path) {
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.path == path; });
}

// With `like`, which every entry may have.
std::vector<Key> rows_of(const SectionRows& section) {
  std::vector<Key> keys = section.rows();
  if (is_there(keys, like_key)) {
    return keys;
  }
  for (Key& key : keys) {
    if (key.need == Need::required) {
      key.unless = like_key;
    }
  }
  keys.push_back(name(like_key,
                      "an entry of the same kind: what is not given here is what it has there",
                      "\"NAME\"", "none"));
  return keys;
}

}  // namespace

std::vector<Key> heritable(std::vector<Key> keys) {
  for (Key& key : keys) {
    if (key.need == Need::required) {
      key.unless = predecessor_key;
    }
  }
  keys.push_back(name(predecessor_key,
                      "the generation before, an entry of the same kind: what is not given here is "
                      "what it has there",
                      "\"NVLink5\"", "none"));
  keys.push_back(name(like_key,
                      "the same of a relative, where no generation before is known better",
                      "\"NVLink3\"", "none"));
  return keys;
}

bool has_generations(Section section) {
  return config::KeyScope{keys_of(section), ""}.find(predecessor_key) != nullptr;
}

std::string_view rate_of(std::string_view key) {
  const bool grows = std::find(grows_with_bandwidth.begin(), grows_with_bandwidth.end(), key) !=
                     grows_with_bandwidth.end();
  return grows ? "bandwidth" : "";
}

std::string_view table_of(Section section) {
  return sections[static_cast<std::size_t>(section)].table;
}

std::span<const Key> keys_of(Section section) {
  static const std::array<std::vector<Key>, section_count> keys = [] {
    std::array<std::vector<Key>, section_count> all;
    for (std::size_t s = 0; s < section_count; ++s) {
      all[s] = with_notes(rows_of(sections[s]));
    }
    return all;
  }();
  return keys[static_cast<std::size_t>(section)];
}

const config::KeyBook& catalog_book() {
  struct Pages {
    std::vector<Key> keys;
    std::vector<config::KeyGroup> groups;
  };
  static const Pages pages = [] {
    Pages made;
    for (const SectionRows& section : sections) {
      const bool series = section.rows == logic_rows;
      made.groups.push_back({section.table, section.table,
                             kept(fmt::format("[{}.{}NAME]: {}", section.table,
                                              series ? "SERIES." : "", section.text))});
      for (Key key : rows_of(section)) {
        key.path = kept(fmt::format("{}.{}", section.table, key.path));
        made.keys.push_back(key);
      }
    }
    return made;
  }();
  static const config::KeyBook book = {pages.keys, pages.groups};
  return book;
}

std::string catalog_schema() {
  const std::vector<Key> top = {
      row("schema", KeyKind::integer, "version of this format: 1", "1", required),
      table("sources", "short names of citations, which values name", "none"),
      row("sources.*", KeyKind::text, "the citation", "", "none"),
  };
  std::vector<config::EntryTable> tables;
  for (std::size_t s = 0; s < section_count; ++s) {
    const auto section = static_cast<Section>(s);
    tables.push_back({sections[s].table, sections[s].text, section == Section::logic ? 2 : 1,
                      keys_of(section), has_generations(section) ? "" : like_key});
  }
  return config::entries_schema("A catalog file of scalesweep", top, tables, note_rows());
}

}  // namespace scalesweep::catalog
