// The rows of the sections, a file for those that belong together. Internal to the folder.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/provenance.hpp"
#include "config/key_text.hpp"

namespace scalesweep::catalog {

using config::above_zero;
using config::Dimension;
using config::from_zero;
using config::Key;
using config::KeyKind;
using config::Need;
using config::NumberRange;

// Without a default a key must stand in every entry.
inline constexpr std::string_view required = "required";
inline constexpr NumberRange fraction = config::share_or_all;
inline constexpr NumberRange fraction_or_none = config::any_share;

constexpr Key row(std::string_view path, KeyKind kind, std::string_view text,
                  std::string_view example, std::string_view fallback) {
  return {.path = path,
          .kind = kind,
          .need = fallback == required ? Need::required : Need::optional,
          .fallback = fallback == required ? std::string_view() : fallback,
          .example = example,
          .description = text};
}
constexpr Key quantity(std::string_view path, Dimension dimension, std::string_view text,
                       std::string_view example, std::string_view fallback = required) {
  Key key = row(path, KeyKind::quantity, text, example, fallback);
  key.dimension = dimension;
  return key;
}
constexpr Key or_zero(Key key) {
  key.zero = true;
  return key;
}
constexpr Key number(std::string_view path, NumberRange range, std::string_view text,
                     std::string_view example, std::string_view fallback = required) {
  Key key = row(path, KeyKind::number, text, example, fallback);
  key.range = range;
  return key;
}
constexpr Key integer(std::string_view path, std::string_view text, std::string_view example,
                      std::string_view fallback = required) {
  return row(path, KeyKind::integer, text, example, fallback);
}
constexpr Key truth(std::string_view path, std::string_view text, std::string_view fallback) {
  return row(path, KeyKind::truth, text, fallback == "true" ? "false" : "true", fallback);
}
constexpr Key name(std::string_view path, std::string_view text, std::string_view example,
                   std::string_view fallback = required) {
  return row(path, KeyKind::name, text, example, fallback);
}
constexpr Key table(std::string_view path, std::string_view text,
                    std::string_view fallback = required) {
  return row(path, KeyKind::table, text, "", fallback);
}

// Texts that live as long as the program, for paths that are put together.
std::string_view kept(std::string text);

// The rows of entries that may take what they lack from another one of their section.
std::vector<Key> heritable(std::vector<Key> keys);

// As the entry stands in its file, without the rows of provenance.
std::vector<Key> device_rows();
std::vector<Key> template_rows();
std::vector<Key> link_rows();
std::vector<Key> port_rows();
std::vector<Key> logic_rows();
std::vector<Key> memory_rows();
std::vector<Key> process_rows();
std::vector<Key> package_rows();
std::vector<Key> topology_rows();
std::vector<Key> economics_rows();
std::vector<Key> reliability_rows();
std::vector<Key> storage_rows();
std::vector<Key> model_rows();
std::vector<Key> recommender_rows();
std::vector<Key> diffusion_model_rows();
std::vector<Key> framework_rows();
std::vector<Key> optimizer_rows();
std::vector<Key> uncertainty_rows();
std::vector<Key> trait_rows();
std::vector<Key> fit_rows();
std::vector<Key> library_rows();

}  // namespace scalesweep::catalog
