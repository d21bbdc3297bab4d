#include "publish/verify.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "citation/licenses.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"
#include "publish/documents/stated_facts.hpp"
#include "publish/manifest.hpp"
#include "store/read/reader.hpp"
#include "store/seal/verify.hpp"

namespace scalesweep::publish {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> documents = {citation_name, datacite_name, schema_org_name,
                                                  ro_crate_name};

Manifest manifest_of(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{}: no such folder; give one that 'scalesweep publish' made",
                              folder.string()));
  }
  const fs::path file = folder / manifest_name;
  if (!fs::exists(file)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{} is missing, so that nothing says what {} should hold; give a "
                              "folder that 'scalesweep publish' made",
                              file.string(), folder.string()));
  }
  return parse_manifest(file, read_file(file));
}

// The study of the folder; nothing, with a problem, where there is none or several.
std::string study_in(const fs::path& folder, const Manifest& manifest,
                     std::vector<std::string>& problems) {
  std::vector<std::string> studies;
  for (const auto& [name, hash] : manifest) {
    if (fs::path(name).extension() == ".h5" && name.find('/') == std::string::npos) {
      studies.push_back(name);
    }
  }
  if (studies.size() != 1) {
    problems.push_back(fmt::format("{}: it names {} study files, and a published folder has one",
                                   (folder / manifest_name).string(), studies.size()));
    return "";
  }
  return studies.front();
}

StatedFacts facts_of(const store::StudyReader& reader) {
  return {reader.root_attribute("title"), reader.root_attribute("license"), reader.identity(),
          std::to_string(reader.rows())};
}

bool is_license(const std::string& stated, const std::string& name) {
  return stated == name || (!name.empty() && stated == citation::license_url(name));
}

void compare_document(const fs::path& file, const StatedFacts& study,
                      std::vector<std::string>& problems) {
  const std::string document = file.filename().string();
  StatedFacts stated;
  try {
    stated = facts_in(document, read_file(file));
  } catch (const std::runtime_error& error) {
    problems.push_back(fmt::format("{}: it cannot be read: {}; publish the study again",
                                   file.string(), error.what()));
    return;
  }
  const auto differ = [&](const char* what, const std::string& there, const std::string& here) {
    problems.push_back(
        fmt::format("{}: its {} is '{}', that of the study '{}'; publish the study again",
                    file.string(), what, there, here));
  };
  const bool is_citation = document == citation_name;
  if (stated.title != study.title) {
    differ("title", stated.title, study.title);
  }
  const bool may_lack = is_citation && citation::is_own_license(study.license);
  if (!is_license(stated.license, study.license) && !(may_lack && stated.license.empty())) {
    differ("licence", stated.license, study.license);
  }
  if (stated.identity != study.identity) {
    differ("identity", stated.identity, study.identity);
  }
  if (!is_citation && stated.rows != study.rows) {
    differ("number of rows", stated.rows, study.rows);
  }
}

}  // namespace

Verified verify_folder(const fs::path& folder, std::size_t threads,
                       const store::PassProgress& progress) {
  const Manifest manifest = manifest_of(folder);
  std::vector<std::string> problems = compare_with(folder, manifest, threads);
  Verified verified;
  for (const char* document : documents) {
    if (!manifest.contains(document)) {
      problems.push_back(fmt::format("{}: it does not name {}, which every published folder has",
                                     (folder / manifest_name).string(), document));
    }
  }
  const std::string study = study_in(folder, manifest, problems);
  if (problems.empty()) {  // else the bytes are not those that say anything
    store::try_sealed_files(folder / study);
    const store::StudyReader reader(folder / study);
    const StatedFacts facts = facts_of(reader);
    for (const char* document : documents) {
      compare_document(folder / document, facts, problems);
    }
    store::check_values(folder / study, threads, progress);
    verified.rows = reader.rows();
    verified.title = facts.title;
  }
  if (!problems.empty()) {
    refuse(join(problems, "\n"));
  }
  verified.files = manifest.size() + 1;
  for (const auto& [name, hash] : manifest) {
    verified.bytes += static_cast<std::int64_t>(fs::file_size(folder / name));
  }
  return verified;
}

}  // namespace scalesweep::publish
