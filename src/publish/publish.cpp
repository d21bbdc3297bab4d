#include "publish/publish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "analysis/findings/analyze.hpp"
#include "analysis/show/result_files.hpp"
#include "analysis/show/verdict_text.hpp"
#include "core/diagnostic.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/host/host_name.hpp"
#include "core/host/temporary_folder.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"
#include "publish/manifest.hpp"
#include "publish/new_folder.hpp"
#include "publish/row_copies.hpp"
#include "space/keys/spec_keys.hpp"
#include "store/merge/write_study.hpp"
#include "store/read/study_parts.hpp"
#include "store/seal/verify.hpp"
#include "store/texts/anonymous.hpp"

namespace scalesweep::publish {
namespace {

namespace fs = std::filesystem;

// Signs that neither a shell nor an address takes for anything else.
std::string plain_name(std::string name) {
  for (char& c : name) {
    const bool plain = c == '.' || c == '-' || c == '_' || (c >= '0' && c <= '9') ||
                       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    c = plain ? c : '_';
  }
  return name.starts_with('-') || name.starts_with('.') ? "_" + name : name;
}

std::string spec_of(const std::map<std::string, std::string>& provenance) {
  const auto found = provenance.find("spec");
  return found == provenance.end() ? "" : found->second;
}

// What the spec says; nothing where there is none that this version reads.
std::optional<citation::Dataset> dataset_of_spec(const std::string& spec) {
  Diagnostics mistakes;
  return citation::dataset_of_text("spec", spec, space::spec_keys(), citation::Beside::anything,
                                   mistakes);
}

struct Stated {
  citation::Dataset dataset;
  std::vector<std::string> notes;
};

// Of a union: what all its studies say alike.
Stated stated_dataset(const store::StudyReader& reader) {
  const std::vector<store::StudyPart> parts = store::parts_of(reader);
  if (parts.empty()) {
    const auto dataset = dataset_of_spec(spec_of(reader.provenance()));
    return dataset ? Stated{*dataset, {}}
                   : Stated{{},
                            {"the spec in the file cannot be read, so that what its [dataset] "
                             "says is not known; give it with --dataset FILE.toml"}};
  }
  std::optional<citation::Dataset> common;
  for (const store::StudyPart& part : parts) {
    const citation::Dataset own =
        dataset_of_spec(spec_of(part.provenance)).value_or(citation::Dataset{});
    if (common && dataset_attributes(*common) != dataset_attributes(own)) {
      return {{},
              {"the studies of this union say different things in [dataset]; --dataset FILE.toml "
               "says what holds for all"}};
    }
    common = own;
  }
  return {common.value_or(citation::Dataset{}), {}};
}

// What a person wrote stays as it is; where that names a machine, the reader should know.
void note_hosts(const store::StudyTexts& before, const store::StudyTexts& after,
                std::vector<std::string>& notes) {
  std::vector<std::string> hosts = {host_name()};
  for (const auto& [name, text] : before.provenance) {
    if (name.ends_with("host")) {
      hosts.push_back(text);
    }
  }
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  for (const std::string& host : hosts) {
    if (host == "unknown" || host == "localhost") {
      continue;  // words that are no names
    }
    const std::vector<std::string> places = store::places_of(host, after);
    if (!places.empty()) {
      notes.push_back(fmt::format(
          "the name of the host, {}, stands in {}, which somebody wrote: it is "
          "published; take it out of the spec and run the study again if it must not be",
          host, join(places, " and ")));
    }
  }
}

// The texts that the published file has: without machines, and with what the data set says.
store::StudyTexts published_texts(const store::StudyReader& reader,
                                  const citation::Dataset& dataset) {
  store::StudyTexts texts = store::anonymous({reader.provenance(), reader.root_attributes()});
  for (const std::string& name : citation::dataset_attribute_names()) {
    texts.root_attributes.erase(name);
  }
  texts.root_attributes.merge(dataset_attributes(dataset));
  return texts;
}

class Publisher {
 public:
  explicit Publisher(const PublishOptions& options)
      : options_(options),
        folder_(options.folder),
        study_file_(plain_name(options.study.filename().string())) {}

  PublishReport publish() {
    copy_study_file();
    const store::StudyReader reader(folder_.path() / study_file_);
    publication_ = publication_of(reader, dataset_, study_file_);
    publication_.had_seal = is_sealed_;
    publication_.is_for_spreadsheets = options_.spreadsheet;
    add("", study_file_, "application/x-hdf5", "the study: rows, axes, counts, spec and inputs");
    analyse();
    add_texts(reader);
    add_copies(reader);
    add_documents();
    for (std::string& gap : gaps_of(publication_)) {
      report_.notes.push_back(std::move(gap));
    }
    folder_.commit();
    return std::move(report_);
  }

 private:
  void copy_study_file() {
    const store::StudyReader reader(options_.study);
    Stated stated = stated_dataset(reader);
    if (!options_.over) {
      report_.notes = std::move(stated.notes);
    }
    dataset_ = options_.over ? merged(stated.dataset, *options_.over) : stated.dataset;
    const store::StudyTexts before{reader.provenance(), reader.root_attributes()};
    const store::StudyTexts texts = published_texts(reader, dataset_);
    const fs::path to = folder_.path() / study_file_;
    is_sealed_ = store::is_sealed(options_.study, reader.layout());
    report_.is_copy = texts == before && reader.layout() == store::Layout::merged &&
                      is_sealed_;  // a copy of its parts has a seal
    if (report_.is_copy) {
      store::check_values(options_.study, options_.reading.threads, options_.reading.progress);
      fs::copy_file(options_.study, to);
    } else {
      store::copy_study(options_.study, to, texts, store::Durability::scratch,
                        options_.reading.progress);
    }
    if (!is_sealed_) {
      report_.notes.push_back(
          fmt::format("{}: the seal of the copy covers what is published, and "
                      "the card says so",
                      no_seal_words));
    }
    note_hosts(before, texts, report_.notes);
  }

  // A file that is in the folder, for the documents and the manifest.
  void add(const std::string& inside, const std::string& name, const std::string& media_type,
           const std::string& description) {
    const std::string whole = inside + name;
    const fs::path path = folder_.path() / whole;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(path));
    publication_.files.push_back({whole, media_type, description, bytes, sha256_of_file(path)});
  }

  void write(const std::string& name, const std::string& text, const std::string& media_type,
             const std::string& description) {
    folder_.write(name, text);
    add("", name, media_type, description);
  }

  void analyse() {
    analysis::AnalyzeOptions how;
    how.reading = options_.reading;
    how.savings = options_.savings;
    try {
      const analysis::AnalysisResult result = analyze(folder_.path() / study_file_, how);
      publication_.verdict = trim(analysis::verdict_text(result.verdicts));
      publication_.verdict += publication_.verdict.empty() ? "" : "\n";
      publication_.findings = result.findings;
      if (options_.figures) {
        draw(result);
      }
    } catch (const Failure& failure) {
      if (failure.code() != ExitCode::bad_input) {
        throw;
      }
      report_.notes.push_back(fmt::format(
          "no verdict and no figures: {}",
          replaced(failure.what(), (folder_.path() / study_file_).string(), study_file_)));
    }
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  void draw(const analysis::AnalysisResult& result) {
    const TemporaryFolder drawn;
    const analysis::OutputFiles files = write_analysis(result, drawn.path());
    const analysis::FigureReport figures =
        analysis::draw_figures(files.tables, files.folder, options_.executable,
                               options_.reading.threads, {}, options_.pythons);
    if (!figures.problem.empty()) {
      report_.notes.push_back("no figures: " + figures.problem);
    }
    const std::string prefix = fs::path(study_file_).stem().string() + ".";
    for (const fs::path& file : figures.files) {
      if (file.extension() != ".png") {
        continue;
      }
      const std::string name = file.filename().string();
      fs::create_directory(folder_.path() / "figures");
      fs::copy_file(file, folder_.path() / "figures" / name);
      const std::string stem = file.stem().string();
      add("figures/", name, "image/png",
          fmt::format("figure: {}", stem.starts_with(prefix) ? stem.substr(prefix.size()) : stem));
    }
  }

  void add_text(const std::map<std::string, std::string>& provenance, const char* name,
                const std::string& file, const std::string& description) {
    const auto found = provenance.find(name);
    if (found != provenance.end()) {
      write(file, found->second, "application/toml", description);
    }
  }

  void add_texts(const store::StudyReader& reader) {
    const std::vector<store::StudyPart> parts = store::parts_of(reader);
    if (parts.empty()) {
      add_text(reader.provenance(), "spec", "spec.toml", "the spec of the study");
      add_text(reader.provenance(), "catalog", "catalog.toml",
               "devices, models and the other entries that it rests on");
    }
    for (const store::StudyPart& part : parts) {
      const std::string name = plain_name(part.name);
      add_text(part.provenance, "spec", "spec-" + name + ".toml", "the spec of " + part.name);
      add_text(part.provenance, "catalog", "catalog-" + name + ".toml",
               "the entries that " + part.name + " rests on");
    }
  }

  void add_copies(const store::StudyReader& reader) {
    const std::string stem = fs::path(study_file_).stem().string();
    if (options_.parquet) {
      const std::string name = stem + ".parquet";
      write_parquet(reader, folder_.path() / name, study_file_, options_.reading);
      add("", name, "application/vnd.apache.parquet", "all rows and columns as Apache Parquet");
    }
    if (options_.csv) {
      const std::string name = stem + ".csv";
      const fs::path metadata =
          write_csv(reader, folder_.path() / name, study_file_, options_.reading,
                    options_.spreadsheet ? CsvTexts::spreadsheet : CsvTexts::plain);
      add("", name, "text/csv", "all rows and columns as CSV");
      add("", metadata.filename().string(), "application/csvm+json",
          "units, types and descriptions of the CSV file after CSV on the Web");
    }
  }

  // Those that name other files come after them.
  void add_documents() {
    write(citation_name, citation_cff(publication_), "application/yaml",
          "how to cite it, for programs: Citation File Format 1.2.0");
    write(datacite_name, datacite_json(publication_), "application/json",
          "metadata after DataCite 4.4");
    write(schema_org_name, schema_org_json(publication_), "application/ld+json",
          "metadata after schema.org");
    write(card_name, card(publication_), "text/markdown", "this card");
    write(ro_crate_name, ro_crate_json(publication_), "application/ld+json",
          "metadata after RO-Crate 1.1");
    Manifest manifest;
    for (const PublishedFile& file : publication_.files) {
      manifest[file.name] = file.sha256;
      report_.bytes += file.bytes;
    }
    folder_.write(manifest_name, manifest_text(manifest));
    report_.files = publication_.files.size() + 1;
  }

  const PublishOptions& options_;
  NewFolder folder_;
  std::string study_file_;
  citation::Dataset dataset_;
  bool is_sealed_ = true;  // the study that is published
  Publication publication_;
  PublishReport report_;
};

}  // namespace

PublishReport publish_study(const PublishOptions& options) {
  expect_no_folder(options.folder);
  try {
    return Publisher(options).publish();
  } catch (const fs::filesystem_error& error) {
    throw Failure(ExitCode::io, fmt::format("{}: {}; is the disk full?", options.folder.string(),
                                            error.code().message()));
  }
}

}  // namespace scalesweep::publish
