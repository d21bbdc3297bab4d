#include "study/file/study_of_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/failure.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "space/stored_rules.hpp"
#include "store/read/reader.hpp"
#include "store/read/study_parts.hpp"
#include "study/columns/schema.hpp"
#include "study/file/stored_texts.hpp"
#include "study/identity.hpp"
#include "study/resolve/used_entries.hpp"

namespace scalesweep::study {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;

std::string text_of(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

// "out.h5:/provenance/spec", in messages.
std::string place_in(const fs::path& file, std::string_view text) {
  return fmt::format("{}:/provenance/{}", file.string(), text);
}

// What a file holds of a study.
struct HeldStudy {
  Texts provenance;
  Texts root_attributes;
  std::string identity;
  Texts identity_parts;
  PointId first_id = 0;  // in the file
  std::string note;      // which one it is, of a file of several
};

HeldStudy held_study(const fs::path& file, std::optional<PointId> id) {
  const store::StudyReader reader(file);
  const std::vector<store::StudyPart> parts = store::parts_of(reader);
  if (parts.empty()) {
    return {reader.provenance(),
            reader.root_attributes(),
            reader.identity(),
            reader.identity_parts(),
            0,
            ""};
  }
  const auto usage = [&](const std::string& what) {
    std::vector<std::string> names;
    for (const store::StudyPart& part : parts) {
      names.push_back(fmt::format("{} ({} to {})", part.name, part.ids.first, part.ids.last - 1));
    }
    return Failure(ExitCode::usage, fmt::format("{} is a union of studies, {}: {}", file.string(),
                                                join(names, ", "), what));
  };
  if (!id) {
    throw usage("say which point, by its id: --point ID");
  }
  const auto part = store::part_with(parts, *id);
  if (!part) {
    throw usage(fmt::format("none has a point {}", *id));
  }
  return {part->provenance,
          part->root_attributes,
          part->identity,
          part->identity_parts,
          part->ids.first,
          fmt::format("point {} of {} is point {} of study {} ({})", *id, file.string(),
                      part->own_id(*id), part->name, part->file)};
}

// How the texts of one file become a study.
class FileTexts {
 public:
  FileTexts(fs::path file, const HeldStudy& held, WorkloadKinds kinds)
      : file_(std::move(file)),
        texts_(held.provenance),
        keep_(space::keep_of_json(text_of(held.root_attributes, "keep"))),
        kinds_(kinds) {
    for (const char* needed : {"spec", "catalog"}) {
      if (!texts_.contains(needed)) {
        refuse(
            fmt::format("{}: it holds no text /provenance/{}, out of which its study would be "
                        "read; give the spec instead",
                        file_.string(), needed));
      }
    }
  }

  const std::string& catalog() const { return texts_.find("catalog")->second; }
  std::string maker() const { return text_of(texts_, "version"); }

  // Of texts of entries.
  std::optional<catalog::Catalog> entries(const std::string& text, Diagnostics& diagnostics) const {
    return catalog::Catalog::of_entries(place_in(file_, "catalog"), text, diagnostics,
                                        overlays_of_json(text_of(texts_, "overlays")));
  }
  std::optional<Study> with_entries(const std::string& text, Diagnostics& diagnostics) const {
    auto catalog = entries(text, diagnostics);
    return catalog ? with_catalog(std::move(*catalog), diagnostics) : std::nullopt;
  }

  std::optional<Study> with_catalog(catalog::Catalog catalog, Diagnostics& diagnostics) const {
    StudySource source{place_in(file_, "spec"), texts_.find("spec")->second,
                       std::make_shared<const catalog::Catalog>(std::move(catalog)),
                       trace_of_json(text_of(texts_, "requests"), text_of(texts_, "load_curve"))};
    std::optional<Study> study = Study::of(source, diagnostics, kinds_);
    if (study && keep_) {
      study->set_keep(*keep_);
    }
    return study;
  }

 private:
  fs::path file_;
  Texts texts_;
  std::optional<space::Keep> keep_;
  WorkloadKinds kinds_;
};

using Entries = std::vector<const catalog::Entry*>;

std::string name_of(const catalog::Entry& entry) {
  return fmt::format("{} {}", catalog::name_of(entry.section), entry.name);
}

std::string names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const catalog::Entry* entry : entries) {
    names.push_back(name_of(*entry));
  }
  return join(names, ", ");
}

// Of those that a study of a whole catalog rests on, what the catalog of a file lacks.
Entries lacking(const Study& whole, const catalog::Catalog& held) {
  Entries lacking = with_bases(whole.catalog(), whole.entries());
  std::erase_if(lacking, [&](const catalog::Entry* entry) {
    return held.entry(entry->section, entry->name) != nullptr;
  });
  return lacking;
}

// "devices h100-sxm" of each line that only one of two texts of values has.
std::vector<std::string> other_entries(const std::string& one, const std::string& other) {
  const std::vector<std::string> lines = split(one, '\n');
  const std::vector<std::string> others = split(other, '\n');
  const std::set<std::string> known(lines.begin(), lines.end());
  const std::set<std::string> there(others.begin(), others.end());
  std::set<std::string> names;
  for (const auto& [these, those] : {std::pair(&known, &there), std::pair(&there, &known)}) {
    for (const std::string& line : *these) {
      const std::vector<std::string> words = split(line, ' ');
      if (words.size() > 1 && !those->contains(line)) {
        names.insert(words[0] + " " + words[1]);
      }
    }
  }
  return {names.begin(), names.end()};
}

// A file of another version may lack entries, or have some that this version cannot read.
std::optional<FileStudy> of_other_version(const FileTexts& texts, const catalog::Places& places,
                                          const std::string& values, Diagnostics& diagnostics) {
  Diagnostics own;
  auto entries = texts.entries(texts.catalog(), own);
  Diagnostics of_folder;
  const std::string folder = places.folder.string();
  auto catalog = catalog::Catalog::load(places, of_folder);
  auto whole = catalog ? texts.with_catalog(std::move(*catalog), of_folder) : std::nullopt;
  const Entries missing = entries && whole ? lacking(*whole, *entries) : Entries{};
  if (!missing.empty()) {
    Diagnostics joined;
    if (auto study = texts.with_entries(texts.catalog() + catalog_text(missing), joined)) {
      return FileStudy{
          std::move(*study),
          false,
          {fmt::format("the file does not hold {}: taken from {}", names_of(missing), folder)}};
    }
  }
  const auto held = entries ? texts.with_catalog(std::move(*entries), own) : std::nullopt;
  if (held) {
    return FileStudy{*held, false, {}};
  }
  if (!whole) {
    diagnostics = own;
    return std::nullopt;
  }
  const auto others =
      other_entries(values, whole->description().identity_parts.find("catalog")->second);
  return FileStudy{
      std::move(*whole),
      false,
      {fmt::format(
          "this version cannot read the entries that the file holds; those of {} stand "
          "for them, {}",
          folder,
          others.empty() ? "with the same values" : "and differ in " + join(others, ", "))}};
}

// In words which of the parts that an identity is made of are others.
std::string other_parts(const Texts& stored, const Texts& read) {
  std::vector<std::string> names;
  for (const auto& [name, text] : stored) {
    if (text_of(read, name) != text) {
      names.push_back(name);
    }
  }
  return join(names, " and ");
}

bool has_column(const store::Schema& schema, const std::string& name) {
  return std::any_of(schema.begin(), schema.end(),
                     [&](const store::Column& column) { return column.name == name; });
}

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<FileStudy> study_of(const fs::path& file, const HeldStudy& held,
                                  const std::function<catalog::Places()>& catalog,
                                  Diagnostics& diagnostics, WorkloadKinds kinds) {
  const FileTexts texts(file, held, kinds);
  const Texts& stored = held.identity_parts;
  if (text_of(stored, "estimator") == build_info().estimator_hash) {
    std::optional<Study> study = texts.with_entries(texts.catalog(), diagnostics);
    if (!study) {
      return std::nullopt;
    }
    if (study->description().identity != held.identity) {
      refuse(
          fmt::format("{}: the texts in its /provenance make another study than the file says "
                      "it is (it differs in: {}); they were changed after it was computed. Give "
                      "the spec instead",
                      file.string(), other_parts(stored, study->description().identity_parts)));
    }
    return FileStudy{std::move(*study), true, {}};
  }
  std::optional<FileStudy> other =
      of_other_version(texts, catalog(), text_of(stored, "catalog"), diagnostics);
  if (other) {
    other->notes.insert(other->notes.begin(),
                        fmt::format("{} was computed by another version of the estimator ({}); "
                                    "what follows is the estimate of this one",
                                    file.string(), texts.maker()));
  }
  return other;
}

}  // namespace

bool is_study_file(const fs::path& file) {
  if (file.extension() == ".h5" || file.extension() == ".hdf5") {
    return true;
  }
  constexpr std::array<char, 4> signature = {'\x89', 'H', 'D', 'F'};
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 4> begin{};
  return stream.read(begin.data(), begin.size()) && begin == signature;
}

std::optional<FileStudy> study_of_file(const fs::path& file,
                                       const std::function<catalog::Places()>& catalog,
                                       Diagnostics& diagnostics, WorkloadKinds kinds,
                                       std::optional<PointId> id) {
  const HeldStudy held = held_study(file, id);
  std::optional<FileStudy> read = study_of(file, held, catalog, diagnostics, kinds);
  if (read && !held.note.empty()) {
    read->notes.insert(read->notes.begin(), held.note);
    read->is_part = true;
    read->first_id = held.first_id;
  }
  return read;
}

std::optional<catalog::Catalog> entries_of_file(const fs::path& file, Diagnostics& diagnostics) {
  const store::StudyReader reader(file);
  if (!store::parts_of(reader).empty()) {
    throw Failure(ExitCode::usage, fmt::format("{} is a union of studies, each with entries of its "
                                               "own; name one of these",
                                               file.string()));
  }
  const Texts texts = reader.provenance();
  if (!texts.contains("catalog")) {
    refuse(
        fmt::format("{}: it holds no text /provenance/catalog, which has the entries of the "
                    "catalog; give the catalog that it was computed with",
                    file.string()));
  }
  return catalog::Catalog::of_entries(place_in(file, "catalog"), text_of(texts, "catalog"),
                                      diagnostics, overlays_of_json(text_of(texts, "overlays")));
}

std::optional<double> stored_value(const fs::path& file, PointId id, const std::string& column) {
  const store::StudyReader reader(file);
  if (!has_column(reader.schema(), column)) {
    return std::nullopt;
  }
  const auto id_at = [&](std::int64_t row) {
    return static_cast<PointId>(reader.read({"point_id"}, row, row + 1).number(0, 0));
  };
  std::int64_t first = 0;
  std::int64_t last = reader.rows();
  while (first < last) {  // rows are in ascending order of id
    const std::int64_t middle = first + (last - first) / 2;
    const bool before = id_at(middle) < id;
    first = before ? middle + 1 : first;
    last = before ? last : middle;
  }
  if (first == reader.rows() || id_at(first) != id) {
    return std::nullopt;
  }
  return known(reader.read({column}, first, first + 1).number(0, 0));
}

std::optional<double> computed_value(const Study& study, PointId id, const std::string& column) {
  const store::StudyDescription& description = study.description();
  if (!has_column(description.schema, column)) {
    return std::nullopt;
  }
  engine::RangeResult result{store::Table(description.schema), store::zero_counts(description),
                             std::numeric_limits<double>::infinity()};
  study.make_evaluator().evaluate({id, id + 1}, result);
  return result.rows.rows() == 0
             ? std::nullopt
             : known(result.rows.number(column_named(description.schema, column), 0));
}

}  // namespace scalesweep::study
