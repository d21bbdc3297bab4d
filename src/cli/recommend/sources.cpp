#include "cli/recommend/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catalog/import/import_model.hpp"
#include "cli/catalog/import_model.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/names.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

// A file, or a folder that is no name of the catalog.
bool is_config(const std::string& model, const catalog::Catalog& catalog) {
  return fs::path(model).extension() == ".json" || fs::is_regular_file(model) ||
         (fs::is_regular_file(config_of(model)) && !catalog.has(catalog::Section::models, model));
}

// "meta-llama/Llama-3.1-70B-Instruct": of a name as model cards have it the one that the catalog
// knows, without its owner and without what was trained last. Nothing where there is none.
std::optional<std::string> known_model(const std::string& written,
                                       const catalog::Catalog& catalog) {
  constexpr std::array<std::string_view, 5> endings = {"-hf", "-instruct", "-chat", "-base", "-it"};
  std::string name = written.substr(written.rfind('/') + 1);
  const auto meant = [&] { return catalog.meant(catalog::Section::models, name); };
  for (const std::string_view ending : endings) {
    const std::size_t rest = name.size() - std::min(name.size(), ending.size());
    if (meant().empty() && same_but_for_case(std::string_view(name).substr(rest), ending)) {
      name.resize(rest);
    }
  }
  return meant().size() == 1 ? std::optional(meant().front()) : std::nullopt;
}

// The model of a config.json as an entry of a catalog in `folder`; its name. Nothing where it
// cannot be read.
std::optional<std::string> import_into(const fs::path& folder, const std::string& config,
                                       const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  auto imported = imported_model(config, "", diagnostics);
  if (!imported) {
    return std::nullopt;
  }
  if (catalog.has(catalog::Section::models, imported->model.name)) {
    imported->model.name += "-config";
  }
  fs::create_directory(folder);
  write_file_durably(folder / "imported.toml", catalog::catalog_text(*imported));
  return imported->model.name;
}

}  // namespace

std::optional<Sources> find_sources(RecommendArguments& arguments, const CatalogChoice& catalog,
                                    const std::filesystem::path& folder, Preface& preface,
                                    const Streams& streams) {
  Diagnostics diagnostics;
  catalog::Places places = find_catalog(catalog);
  std::optional<catalog::Catalog> loaded = catalog::Catalog::load(places, diagnostics);
  Question& question = arguments.question;
  if (loaded && is_config(question.model, *loaded)) {
    const auto name = import_into(folder / "models", question.model, *loaded, diagnostics);
    loaded.reset();
    if (name) {
      preface.notes.push_back(fmt::format(
          "{} is '{}' here{}", question.model, *name,
          arguments.save_spec.empty()
              ? ""
              : "; the saved spec wants it in the catalog: 'scalesweep catalog import'"));
      question.model = *name;
      places.overlays.push_back(folder / "models");
      loaded = catalog::Catalog::load(places, diagnostics);
    }
  }
  tell(streams, diagnostics.text());
  if (!loaded) {
    return std::nullopt;
  }
  if (loaded->meant(catalog::Section::models, question.model).empty()) {
    if (const auto known = known_model(question.model, *loaded)) {
      preface.notes.push_back(fmt::format("{} is '{}' here", question.model, *known));
      question.model = *known;
    }
  }
  return Sources{std::move(places), std::move(*loaded)};
}

}  // namespace scalesweep::cli
