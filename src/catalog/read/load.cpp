// The files of a catalog folder into CatalogData, with all their mistakes in one pass.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <set>
#include <sstream>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "catalog/keys/catalog_keys.hpp"
#include "catalog/prices.hpp"
#include "catalog/read/complete_energies.hpp"
#include "catalog/read/lacking.hpp"
#include "catalog/read/twin_facts.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::int64_t schema_version = 1;

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator listing(folder, error);
  if (error) {
    throw Failure(ExitCode::no_input, fmt::format("cannot read the catalog folder '{}': {}",
                                                  folder.string(), error.message()));
  }
  std::vector<std::filesystem::path> files;
  for (const auto& item : listing) {
    if (item.path().extension() == ".toml") {
      files.push_back(item.path());
    }
  }
  if (files.empty()) {
    throw Failure(ExitCode::no_input,
                  fmt::format("the catalog folder '{}' holds no .toml file", folder.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A key as TOML writes it in a header: quoted where it is not bare.
std::string header_key(const std::string& key) {
  const bool bare = std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return bare ? key : "\"" + key + "\"";
}

// The lines of an entry: from its header to the next header that is not inside it, without the
// comments and blank lines that lead up to that one.
std::string entry_text(const std::string& file_text, int first_line, const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream stream(file_text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (number < first_line) {
      continue;
    }
    const bool header = number > first_line && line.starts_with("[");
    if (header && !line.starts_with("[" + path + ".")) {
      break;
    }
    lines.push_back(line);
  }
  while (!lines.empty() && (trim(lines.back()).empty() || lines.back().starts_with("#"))) {
    lines.pop_back();
  }
  return join(lines, "\n") + "\n";
}

struct File {
  std::string path;
  std::string text;
  config::Document document;
  Sources sources;
};

// An entry as it is found, before it is read: it may rest on one that stands further down or in a
// later file.
struct Found {
  enum class State { waits, is_read, done };
  const File* file = nullptr;
  Section section = Section::devices;
  std::string name;
  config::TableCursor table;
  State state = State::waits;
  Entry entry;
};

// Of entries that were taken out of a catalog, names may be of others that were left behind.
enum class Extent { whole_catalog, taken_out };

class Loader {
 public:
  Loader(Extent extent, CatalogData& data, Diagnostics& diagnostics)
      : whole_(extent == Extent::whole_catalog), data_(data), diagnostics_(diagnostics) {}

  // Finds the entries of a file.
  void open(const std::string& path, std::string text) {
    std::optional<config::Document> document = config::Document::parse(path, text, diagnostics_);
    if (!document) {
      return;
    }
    File& file = files_.emplace_back(File{path, std::move(text), *document, {}});
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
    const auto line_of = [](const Found* found) { return found->entry.position.line; };
    std::stable_sort(
        in_order_.begin() + static_cast<std::ptrdiff_t>(first), in_order_.end(),
        [&](const Found* one, const Found* other) { return line_of(one) < line_of(other); });
  }

  // Reads the entries of all files.
  void read() {
    for (Found* found : in_order_) {
      read_entry(*found);
      keep(*found);
    }
    for (const File& file : files_) {
      file.document.report_unread();
    }
  }

  // What can only be checked when all files are read.
  void finish() {
    if (whole_) {
      check_names();
    }
    report_lacking(data_, diagnostics_);
    set_fits();  // before energies, which depend on the tiles that libraries choose
    complete_energies(data_, diagnostics_);
    check_twins(data_, diagnostics_);
    check_levels(data_, diagnostics_);
    for (const auto& [name, record] : data_.models) {
      check({Section::models, record.encoder});  // taken out as well: estimates count it
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

  void check_names() {
    for (const Reference& reference : references_) {
      check(reference);
    }
    require(Section::scale_out, Section::topologies, default_topology);
    require(Section::templates, Section::packages, default_package);
    require(Section::devices, Section::packages, default_package);
    require(Section::devices, Section::economics, default_economics);
    require(Section::devices, Section::fits, default_fit);
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

  // What studies rest on where they name no other must be there once an entry of `user` is.
  void require(Section user, Section section, std::string_view name) {
    const auto first = std::find_if(data_.entries.begin(), data_.entries.end(),
                                    [user](const Entry& entry) { return entry.section == user; });
    if (first != data_.entries.end() &&
        !data_.index[static_cast<std::size_t>(section)].contains(name)) {
      diagnostics_.error(
          first->position,
          fmt::format("entries of {} need an entry '{}' among {} for studies that name no "
                      "other; copy it from the catalog that ships",
                      name_of(user), name, name_of(section)));
    }
  }

  static void read_sources(const config::TableCursor& table, Sources& sources) {
    for (const std::string& key : table.keys()) {
      if (const std::optional<std::string> citation = table.string(key)) {
        sources.citations[key] = *citation;
      }
    }
  }

  void find_entries(const File& file, Section section, const config::TableCursor& table) {
    for (const std::string& key : table.keys()) {
      const config::TableCursor entry = table.table(key);
      const std::string path = fmt::format("{}.{}", table_of(section), header_key(key));
      if (section != Section::logic) {
        find_entry(file, section, entry, key, path);
        continue;
      }
      remember(data_.series_names, key);
      for (const std::string& node : entry.keys()) {
        remember(data_.node_names, node);
        find_entry(file, section, entry.table(node), key + "/" + node, path + "." + node);
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
    entry.text = entry_text(file.text, entry.position.line, path);
    if (const auto aliases = table.value("aliases")) {
      for (const config::ValueCursor& alias : aliases->list_or_single()) {
        entry.aliases.push_back(alias.string().value_or(""));
      }
    }
    auto& named = found_by_name_[static_cast<std::size_t>(section)];
    named.try_emplace(name, &found);
    for (const std::string& alias : entry.aliases) {
      named.try_emplace(alias, &found);
    }
  }

  void read_entry(Found& found) {
    if (found.state == Found::State::done) {
      return;
    }
    found.state = Found::State::is_read;
    const Entry* base = may_inherit(found.section) ? base_of(found) : nullptr;
    EntryReader reader(found.table, found.file->sources, found.entry, base);
    store_record(found.section, reader, found.name);
    found.state = Found::State::done;
  }

  // The entry that has what this one lacks, read; nothing if it names none.
  const Entry* base_of(Found& found) {
    const std::optional<std::string> predecessor = found.table.optional_string(predecessor_key);
    const std::optional<std::string> like = found.table.optional_string(like_key);
    if (predecessor && like) {
      found.table.error(like_key, fmt::format("'{}' has a {} already; take one of the two away",
                                              found.name, predecessor_key));
    }
    if (!predecessor && !like) {
      return nullptr;
    }
    const std::string_view key = predecessor ? predecessor_key : like_key;
    Found* base = found_base(found, key, predecessor ? *predecessor : *like);
    if (base == nullptr) {
      return &unknown_;
    }
    read_entry(*base);
    (predecessor ? found.entry.predecessor : found.entry.like) = base->name;
    return &base->entry;
  }

  // Nothing, and reported, if there is none or it waits for this one.
  Found* found_base(const Found& found, std::string_view key, const std::string& name) {
    const auto& named = found_by_name_[static_cast<std::size_t>(found.section)];
    const auto base = named.find(name);
    if (base == named.end()) {
      std::vector<std::string> known;
      for (const auto& [each, entry] : named) {
        known.push_back(each);
      }
      found.table.error(key, fmt::format("no entry '{}' among {}{}", name, name_of(found.section),
                                         suggestion(name, known)));
      return nullptr;
    }
    if (base->second->state == Found::State::is_read) {
      found.table.error(key,
                        fmt::format("'{}' rests on '{}', which rests on it in turn; give one of "
                                    "them all its values and take its '{}' away",
                                    found.name, base->second->name, key));
      return nullptr;
    }
    return base->second;
  }

  // Entries are kept in the order of the files, whichever was read first.
  void keep(const Found& found) {
    enter(found.section, found.name, found.entry);
    for (const std::string& alias : found.entry.aliases) {
      if (!alias.empty()) {
        enter_alias(found.section, alias, found.entry);
      }
    }
    data_.entries.push_back(found.entry);
  }

  void store_logic(EntryReader& reader, const std::string& name) {
    const std::size_t slash = name.rfind('/');
    data_.logic.try_emplace(name,
                            read_logic(reader, name.substr(0, slash), name.substr(slash + 1)));
  }

  void store_template(EntryReader& reader, const std::string& name) {
    const auto position = reader.table().position("reference_node");
    const technology::DeviceTemplate read = read_template(reader, name, references_);
    references_.push_back({Section::logic, {read.reference_node, position}});
    data_.templates.try_emplace(name, read);
  }

  void store_model(Section section, EntryReader& reader, const std::string& name) {
    if (section == Section::recommenders) {
      data_.recommenders.try_emplace(name, read_recommender(reader, name));
    } else if (section == Section::diffusion_models) {
      data_.diffusion_models.try_emplace(name, read_diffusion_model(reader, name));
    } else {
      data_.models.try_emplace(name, read_model(reader, name));
    }
  }

  void store_record(Section section, EntryReader& reader, const std::string& name) {
    switch (section) {
      case Section::devices:
        data_.devices.try_emplace(name, read_device(reader, name, references_));
        return;
      case Section::logic:
        store_logic(reader, name);
        return;
      case Section::memories:
        data_.memories.try_emplace(name, read_memory(reader, name));
        return;
      case Section::scale_up:
        data_.links.try_emplace(name, read_link(reader, name, references_));
        return;
      case Section::scale_out:
        data_.ports.try_emplace(name, read_ports(reader, name, references_));
        return;
      case Section::templates:
        store_template(reader, name);
        return;
      case Section::models:
      case Section::recommenders:
      case Section::diffusion_models:
        store_model(section, reader, name);
        return;
      case Section::frameworks:
        data_.frameworks.try_emplace(name, read_framework(reader, name));
        return;
      case Section::optimizers:
        data_.optimizers.try_emplace(name, read_optimizer(reader, name));
        return;
      case Section::processes:
        data_.processes.try_emplace(name, read_process(reader, name));
        return;
      case Section::packages:
        data_.packages.try_emplace(name, read_package(reader, name));
        return;
      case Section::topologies:
        data_.topologies.try_emplace(name, read_topology(reader, name));
        return;
      case Section::economics:
        data_.economics.try_emplace(name, read_economics(reader, name));
        return;
      case Section::reliability:
        data_.reliability.try_emplace(name, read_reliability(reader, name));
        return;
      case Section::storage:
        data_.storage.try_emplace(name, read_storage(reader, name));
        return;
      case Section::uncertainties:
        data_.uncertainties.try_emplace(name, read_uncertainty(reader, references_));
        return;
      case Section::traits:
        data_.traits.try_emplace(name, read_trait(reader, references_));
        return;
      case Section::fits:
        data_.fits.try_emplace(name, read_fit(reader));
    }
  }

  // A node has the same other name in every series.
  void enter_alias(Section section, const std::string& alias, const Entry& entry) {
    if (section != Section::logic) {
      enter(section, alias, entry);
      return;
    }
    const std::size_t slash = entry.name.rfind('/');
    enter(section, entry.name.substr(0, slash + 1) + alias, entry);
    const std::string node = entry.name.substr(slash + 1);
    const auto [found, is_new] = data_.node_aliases.try_emplace(alias, node);
    if (!is_new && found->second != node) {
      diagnostics_.error(entry.position,
                         fmt::format("'{}' is the other name of '{}' in another series, and of "
                                     "'{}' here",
                                     alias, found->second, node));
    }
  }

  // A name or alias of the entry that will be pushed next.
  void enter(Section section, const std::string& name, const Entry& entry) {
    auto& index = data_.index[static_cast<std::size_t>(section)];
    const auto [found, is_new] = index.try_emplace(name, data_.entries.size());
    if (is_new) {
      return;
    }
    const bool own = found->second == data_.entries.size();
    const Entry& other = own ? entry : data_.entries[found->second];
    diagnostics_.error(
        entry.position,
        fmt::format("'{}' is already the name or an alias of '{}' ({}:{}); names "
                    "of {} must be unique",
                    name, other.name, other.position.file, other.position.line, name_of(section)));
  }

  void check(const Reference& reference) {
    if (reference.name.text.empty()) {
      return;  // missing: already reported
    }
    if (reference.section == Section::logic) {
      check_reference_node(reference.name);
      return;
    }
    const auto& index = data_.index[static_cast<std::size_t>(reference.section)];
    std::vector<std::string> known;
    for (const auto& [name, entry] : index) {
      known.push_back(name);
    }
    std::string name = reference.name.text;
    if (reference.section == Section::scale_out) {
      const auto split = split_ports(name);
      name = split ? split->first : name;
      for (std::string& candidate : known) {
        candidate += fmt::format("x{}", split ? split->second : 8);
      }
    }
    if (!index.contains(name)) {
      const std::string near = near_name(reference.name.text, known);
      diagnostics_.error(
          reference.name.position,
          fmt::format("no entry '{}' among {}{}", reference.name.text, name_of(reference.section),
                      near.empty() ? suggestion(reference.name.text, known) : near));
    }
  }

  // A template can be derived in every series, so its node must be in each.
  void check_reference_node(const Located& node) {
    for (const std::string& series : data_.series_names) {
      if (!data_.logic.contains(series + "/" + node.text)) {
        diagnostics_.error(node.position,
                           fmt::format("the series '{}' of logic nodes has no node '{}'{}", series,
                                       node.text, suggestion(node.text, data_.node_names)));
      }
    }
  }

  static void remember(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }

  bool whole_;
  CatalogData& data_;
  Diagnostics& diagnostics_;
  std::deque<File> files_;
  std::deque<Found> found_;
  std::vector<Found*> in_order_;  // of the files, and of their lines
  std::array<Named<Found*>, section_count> found_by_name_;
  const Entry unknown_;
  std::vector<Reference> references_;
};

}  // namespace

std::optional<Catalog> Catalog::load(std::span<const std::filesystem::path> folders,
                                     Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  auto data = std::make_shared<CatalogData>();
  Loader loader(Extent::whole_catalog, *data, diagnostics);
  for (const std::filesystem::path& folder : folders) {
    for (const std::filesystem::path& file : files_of(folder)) {
      loader.open(file.string(), read_file(file));
    }
  }
  loader.read();
  loader.finish();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  Catalog catalog;
  catalog.data_ = std::move(data);
  check_prices(catalog, *catalog.data_, diagnostics);  // of what is right otherwise
  return diagnostics.error_count() > errors_before ? std::nullopt : std::optional(catalog);
}

std::optional<Catalog> Catalog::load(const std::filesystem::path& folder,
                                     Diagnostics& diagnostics) {
  return load(std::span(&folder, 1), diagnostics);
}

std::optional<Catalog> Catalog::of_entries(const std::string& name, const std::string& text,
                                           Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  auto data = std::make_shared<CatalogData>();
  Loader loader(Extent::taken_out, *data, diagnostics);
  loader.open(name, text);
  loader.read();
  loader.finish();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  Catalog catalog;
  catalog.data_ = std::move(data);
  return catalog;
}

}  // namespace scalesweep::catalog
