// The files of a catalog and of overlays into CatalogData, with all their mistakes in one pass.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <utility>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "catalog/keys/catalog_keys.hpp"
#include "catalog/load/bases.hpp"
#include "catalog/load/files.hpp"
#include "catalog/load/found.hpp"
#include "catalog/load/names.hpp"
#include "catalog/load/order.hpp"
#include "catalog/load/records.hpp"
#include "catalog/load/references.hpp"
#include "catalog/load/versions.hpp"
#include "catalog/prices.hpp"
#include "catalog/read/complete_energies.hpp"
#include "catalog/read/lacking.hpp"
#include "catalog/read/twin_facts.hpp"
#include "config/toml_text.hpp"
#include "core/documents/shell.hpp"
#include "core/hash.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::int64_t schema_version = 1;

// Of entries that were taken out of a catalog, names may be of others that were left behind.
enum class Extent { whole_catalog, taken_out };

class Loader {
 public:
  Loader(Extent extent, CatalogData& data, Diagnostics& diagnostics)
      : whole_(extent == Extent::whole_catalog), data_(data), diagnostics_(diagnostics) {}

  // Finds the entries of a file.
  void open(const CatalogFile& of, std::string text) {
    const std::string path = of.path.string();
    std::optional<config::Document> document = config::Document::parse(path, text, diagnostics_);
    if (!document) {
      return;
    }
    File& file = files_.emplace_back();
    file.path = path;
    file.text = std::move(text);
    file.entry_texts = EntryTexts(file.text);
    file.document = *document;
    file.overlay_place = of.overlay.string();
    if (!of.overlay.empty()) {
      file.overlay =
          std::make_shared<const Overlay>(Overlay{of.path.filename().string(), sha256(file.text)});
      data_.overlays.push_back(file.overlay);
    }
    const config::TableCursor root = document->root();
    if (whole_) {
      check_schema(root);
      read_sources(root.optional_table("sources"), file.sources);
    }
    file.sources.left_behind = !whole_;
    const std::size_t first = in_order_.size();
    for (std::size_t s = 0; s < section_count; ++s) {
      const auto section = static_cast<Section>(s);
      find_entries(file, section, root.optional_table(table_of(section)));
    }
    if (file.overlay != nullptr && in_order_.size() == first) {
      check_empty(file, root);
    }
    const auto line_of = [](const Found* found) { return found->entry.position.line; };
    std::stable_sort(
        in_order_.begin() + static_cast<std::ptrdiff_t>(first), in_order_.end(),
        [&](const Found* one, const Found* other) { return line_of(one) < line_of(other); });
  }

  // Reads the entries of all files.
  void read() {
    enter_newest(found_, by_name_, diagnostics_);
    NameBook names(data_, diagnostics_);
    for (Found* found : in_order(in_order_, diagnostics_)) {
      read_entry(*found);
      names.enter(*found);
      data_.entries.push_back(found->entry);
    }
    names.report();
    enter_versions(by_name_, data_);
    for (const File& file : files_) {
      file.document.report_unread();
    }
  }

  // What can only be checked when all files are read.
  void finish() {
    complete_uncertainties(data_);
    if (whole_) {
      check_references(references_, data_, diagnostics_);
      check_uncertainties(data_, diagnostics_);
      check_libraries(data_, diagnostics_);
    }
    const bool has_holes = std::any_of(found_.begin(), found_.end(),
                                       [](const Found& found) { return found.rests_on_nothing; });
    if (has_holes) {
      return;  // reported; what follows from it is no second mistake
    }
    report_lacking(data_, diagnostics_);
    set_fits();  // before energies, which depend on the tiles that libraries choose
    complete_energies(data_, diagnostics_);
    check_twins(data_, diagnostics_);
    check_levels(data_, diagnostics_);
    for (const auto& [name, record] : data_.models) {  // taken out as well: estimates count it
      check_reference({Section::models, record.encoder}, data_, diagnostics_);
    }
    join_encoders(data_, diagnostics_);
    const auto link = [](const auto& record) { return record.inside.link.text; };
    set_inside(Section::scale_up, data_.links, link);
    set_inside(Section::scale_out, data_.ports, link);
    set_inside(Section::models, data_.models,
               [](const ModelRecord& record) { return record.encoder.text; });
  }

 private:
  static void check_schema(const config::TableCursor& root) {
    if (const std::optional<std::int64_t> schema = root.integer("schema");
        schema && *schema != schema_version) {
      root.error("schema",
                 fmt::format("this version reads schema = {}, not {}", schema_version, *schema));
    }
  }

  // An overlay is for its entries; a table that has no kind is reported as an unknown key.
  void check_empty(const File& file, const config::TableCursor& root) {
    for (const std::string& key : root.keys()) {
      if (key != "schema" && key != "sources") {
        return;
      }
    }
    diagnostics_.error(
        {file.path, 0, 0},
        "it holds no entry; write one, such as [device.NAME], or leave the file out");
  }

  static void read_sources(const config::TableCursor& table, Sources& sources) {
    for (const std::string& key : table.keys()) {
      if (const std::optional<std::string> citation = table.string(key)) {
        sources.citations[key] = *citation;
      }
    }
  }

  // What holds of the kernels and collectives of all devices is part of each.
  void set_fits() {
    const auto found = data_.fits.find(default_fit);
    if (found == data_.fits.end()) {
      return;
    }
    const FitRecord& fit = found->second;
    const auto set_kernels = [&fit](auto& device) {
      device.matmul_fit = fit.matmul;
      device.attention_fit = fit.attention;
    };
    for (auto& [name, record] : data_.devices) {
      set_kernels(record.device);
    }
    for (auto& [name, design] : data_.templates) {
      set_kernels(design);
    }
    for (auto& [name, link] : data_.links) {
      link.network.fit = fit.collectives;
    }
    for (auto& [name, ports] : data_.ports) {
      ports.technology.port.fit = fit.collectives;
    }
  }

  template <typename Record, typename NameOf>
  void set_inside(Section section, const Named<Record>& records, const NameOf& name_of_inside) {
    for (const auto& [name, record] : records) {
      data_.entries[data_.index[static_cast<std::size_t>(section)].find(name)->second].inside =
          name_of_inside(record);
    }
  }

  void find_entries(const File& file, Section section, const config::TableCursor& table) {
    for (const std::string& key : table.keys()) {
      const config::TableCursor entry = table.table(key);
      const std::string path = fmt::format("{}.{}", table_of(section), config::toml_key(key));
      if (section != Section::logic) {
        find_entry(file, section, entry, key, path);
        continue;
      }
      for (const std::string& node : entry.keys()) {
        find_entry(file, section, entry.table(node), key + "/" + node,
                   path + "." + config::toml_key(node));
      }
    }
  }

  void find_entry(const File& file, Section section, const config::TableCursor& table,
                  const std::string& name, const std::string& path) {
    if (!table.exists()) {
      return;  // not a table: already reported
    }
    Found& found = found_.emplace_back();
    in_order_.push_back(&found);
    found.file = &file;
    found.section = section;
    found.name = name;
    found.table = table.described_by({keys_of(section), ""});
    Entry& entry = found.entry;
    entry.section = section;
    entry.name = name;
    entry.position = table.position();
    entry.position.file = file.path;
    entry.text = file.entry_texts.of(path);
    entry.overlay = file.overlay;
    if (std::any_of(name.begin(), name.end(), is_control)) {
      table.error(
          fmt::format("{} has control characters, and stands in tables, commands and files "
                      "of others; give it a name without",
                      config::toml_text(name)));
    } else if (entry.text.empty()) {
      table.error(
          fmt::format("'{}' has no line of its own by which a study can keep it; write "
                      "[{}], and its keys below that",
                      name, path));
    }
    if (const auto aliases = table.value("aliases")) {
      for (const config::ValueCursor& alias : aliases->list_or_single()) {
        entry.aliases.push_back(alias.string().value_or(""));
      }
    }
    auto& named = by_name_[static_cast<std::size_t>(section)];
    named.try_emplace(name, &found);
    for (const std::string& alias : entry.aliases) {
      named.try_emplace(
          section == Section::logic ? name.substr(0, name.rfind('/') + 1) + alias : alias, &found);
    }
  }

  void read_entry(Found& found) {
    if (found.state == Found::State::done) {
      return;
    }
    found.state = Found::State::is_read;
    const Base base = base_of(found, by_name_);
    if (base.entry != nullptr) {
      read_entry(*base.entry);
      (base.is_predecessor ? found.entry.predecessor : found.entry.like) = base.entry->name;
    }
    found.rests_on_nothing = base.named && (base.entry == nullptr || base.entry->rests_on_nothing);
    const Entry* values = found.rests_on_nothing ? &unknown_ : nullptr;
    if (base.entry != nullptr && !found.rests_on_nothing) {
      values = &base.entry->entry;
    }
    const Diagnostics::Mark before = diagnostics_.mark();
    EntryReader reader(found.table, found.file->sources, found.entry, values);
    store_record(found.section, reader, found.name, data_, references_);
    // What it has is not known, or is no second mistake where its name is another's.
    if (found.rests_on_nothing || is_named_again(found)) {
      diagnostics_.take_back(before);
    }
    found.state = Found::State::done;
  }

  bool is_named_again(const Found& found) const {
    const auto& named = by_name_[static_cast<std::size_t>(found.section)];
    const auto first = named.find(found.name);
    return first != named.end() && first->second != &found;
  }

  bool whole_;
  CatalogData& data_;
  Diagnostics& diagnostics_;
  std::deque<File> files_;
  std::deque<Found> found_;
  std::vector<Found*> in_order_;  // of the files, and of their lines
  FoundByName by_name_;
  const Entry unknown_;
  std::vector<Reference> references_;
};

// Files with their texts.
using Texts = std::vector<std::pair<CatalogFile, std::string>>;

// The catalog that was read last without a message. It follows from the texts alone, and reading
// them is most of what a short command takes: who asks one thing after the other in one process,
// as in Python, reads them once.
class ReadBefore {
 public:
  std::optional<Catalog> of(const Texts& texts) const {
    const std::lock_guard lock(mutex_);
    return texts == texts_ ? catalog_ : std::nullopt;
  }
  void keep(Texts texts, const Catalog& catalog) {
    const std::lock_guard lock(mutex_);
    texts_ = std::move(texts);
    catalog_ = catalog;
  }

 private:
  mutable std::mutex mutex_;
  Texts texts_;
  std::optional<Catalog> catalog_;
};

ReadBefore& read_before() {
  static ReadBefore kept;
  return kept;
}

}  // namespace

bool is_catalog(const std::filesystem::path& place) {
  if (!std::filesystem::is_directory(place)) {
    return false;
  }
  const std::string needed = fmt::format("[{}.{}", table_of(Section::fits), default_fit);
  const std::vector<CatalogFile> files = files_of({place});
  return std::any_of(files.begin(), files.end(), [&](const CatalogFile& file) {
    return read_file(file.path).find(needed) != std::string::npos;
  });
}

std::optional<Catalog> Catalog::load(const Places& places, Diagnostics& diagnostics) {
  Texts texts;
  for (const CatalogFile& file : files_of(places)) {
    texts.emplace_back(file, read_file(file.path));
  }
  if (std::optional<Catalog> known = read_before().of(texts)) {
    return known;
  }
  const Diagnostics::Mark before = diagnostics.mark();
  const int errors_before = diagnostics.error_count();
  auto data = std::make_shared<CatalogData>();
  Loader loader(Extent::whole_catalog, *data, diagnostics);
  for (const auto& [file, text] : texts) {
    loader.open(file, text);
  }
  loader.read();
  loader.finish();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  Catalog catalog;
  catalog.data_ = std::move(data);
  check_prices(catalog, *catalog.data_, diagnostics);  // of what is right otherwise
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  if (diagnostics.mark() == before) {
    read_before().keep(std::move(texts), catalog);
  }
  return catalog;
}

std::optional<Catalog> Catalog::load(const std::filesystem::path& folder,
                                     Diagnostics& diagnostics) {
  return load(Places{folder}, diagnostics);
}

std::optional<Catalog> Catalog::of_entries(const std::string& name, const std::string& text,
                                           Diagnostics& diagnostics,
                                           const OverlaysByEntry& overlays) {
  const int errors_before = diagnostics.error_count();
  auto data = std::make_shared<CatalogData>();
  Loader loader(Extent::taken_out, *data, diagnostics);
  loader.open({name, {}}, text);
  loader.read();
  loader.finish();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  for (Entry& entry : data->entries) {
    if (const auto known = overlays.find(id_of(entry)); known != overlays.end()) {
      entry.overlay = known->second;
    }
  }
  for (const auto& [id, overlay] : overlays) {
    if (std::find(data->overlays.begin(), data->overlays.end(), overlay) == data->overlays.end()) {
      data->overlays.push_back(overlay);
    }
  }
  Catalog catalog;
  catalog.data_ = std::move(data);
  return catalog;
}

}  // namespace scalesweep::catalog
