#include "catalog/read/checkpoints.hpp"

#include <algorithm>

namespace scalesweep::catalog {
namespace {

using technology::Precision;

const Entry* model_entry(const Catalog& catalog, const std::string& model) {
  return catalog.has(Section::models, model) ? catalog.entry(Section::models, model) : nullptr;
}

bool names(const Value* value, Precision format) {
  return value != nullptr &&
         std::any_of(value->words.begin(), value->words.end(), [&](const std::string& word) {
           return technology::precision_from(word) == format;
         });
}

// Of a part of a checkpoint in this format; files may write nvfp4.
std::optional<Precision> format_of(const Entry& entry, std::string_view part, Precision format) {
  const std::string table = "checkpoint." + std::string(part) + ".";
  for (const Value& value : entry.values) {
    const bool is_it = value.key.starts_with(table) && !value.words.empty() &&
                       technology::precision_from(value.key.substr(table.size())) == format;
    if (is_it) {
      return technology::precision_from(value.words.front());
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Precision> checkpoints_of(const Catalog& catalog, const std::string& model) {
  std::vector<Precision> formats;
  const Entry* const entry = model_entry(catalog, model);
  for (std::size_t i = 0; entry != nullptr && i < technology::precision_count; ++i) {
    const auto format = Precision(i);
    if (names(entry->value("checkpoints"), format) || names(entry->value("precision"), format)) {
      formats.push_back(format);
    }
  }
  return formats;
}

std::optional<technology::CheckpointFormats> checkpoint_of(const Catalog& catalog,
                                                           const std::string& model,
                                                           Precision format) {
  const std::vector<Precision> published = checkpoints_of(catalog, model);
  if (std::find(published.begin(), published.end(), format) == published.end()) {
    return std::nullopt;
  }
  technology::CheckpointFormats checkpoint;
  checkpoint.format = format;
  for (const CheckpointPart& part : checkpoint_parts) {
    checkpoint.*(part.format) = format_of(*model_entry(catalog, model), part.key, format);
  }
  return checkpoint;
}

}  // namespace scalesweep::catalog
