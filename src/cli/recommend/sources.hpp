// What a question is looked up in.
#pragma once

#include <filesystem>
#include <optional>

#include "catalog/catalog.hpp"
#include "catalog/places.hpp"
#include "cli/options/options.hpp"
#include "cli/recommend/answer/answer_show.hpp"
#include "cli/recommend/options.hpp"

namespace scalesweep::cli {

// What is looked up: the catalog, with the model of a config.json beside it.
struct Sources {
  catalog::Places places;
  catalog::Catalog catalog;
};

// Reads the catalog and replaces a config.json by the name of its model, as an entry in `folder`,
// and a name as model cards have it by that of the catalog. Nothing, and every mistake said, where
// either cannot be read.
std::optional<Sources> find_sources(RecommendArguments& arguments, const CatalogChoice& catalog,
                                    const std::filesystem::path& folder, Preface& preface,
                                    const Streams& streams);

}  // namespace scalesweep::cli
