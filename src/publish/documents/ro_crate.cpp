#include <nlohmann/json.hpp>

#include <algorithm>

#include "citation/licenses.hpp"
#include "publish/documents/documents.hpp"
#include "publish/documents/people.hpp"

namespace scalesweep::publish {
namespace {

using nlohmann::ordered_json;

// Its entities stand side by side and name each other: those inside others are taken out of them.
class Graph {
 public:
  void add(ordered_json entity) {
    flatten(entity);
    entities_.push_back(std::move(entity));
  }
  ordered_json entities() const { return entities_; }

 private:
  void flatten(ordered_json& value) {
    if (!value.is_structured()) {
      return;
    }
    for (auto& [key, inner] : value.items()) {
      flatten(inner);
      if (inner.is_object() && inner.contains("@type")) {
        inner = reference_to(inner);
      }
    }
  }

  ordered_json reference_to(ordered_json entity) {
    if (!entity.contains("@id")) {
      const auto same = std::find_if(unnamed_.begin(), unnamed_.end(),
                                     [&](const auto& known) { return known.first == entity; });
      if (same != unnamed_.end()) {
        return {{"@id", same->second}};
      }
      const std::string id = "#" + std::to_string(unnamed_.size() + 1);
      unnamed_.emplace_back(entity, id);
      entity["@id"] = id;
    }
    const std::string id = entity["@id"];
    entities_.push_back(std::move(entity));
    return {{"@id", id}};
  }

  ordered_json entities_ = ordered_json::array();
  std::vector<std::pair<ordered_json, std::string>> unnamed_;
};

ordered_json file_json(const PublishedFile& file) {
  return {{"@id", file.name},
          {"@type", "File"},
          {"name", file.name},
          {"description", file.description},
          {"encodingFormat", file.media_type},
          {"contentSize", std::to_string(file.bytes)},
          {"sha256", file.sha256}};
}

ordered_json root_json(const Publication& p) {
  const citation::Dataset& d = p.dataset;
  ordered_json root = {{"@id", "./"},
                       {"@type", "Dataset"},
                       {"name", p.title},
                       {"description", description_of(p)},
                       {"datePublished", p.published},
                       {"dateCreated", p.created}};
  ordered_json identifiers = {
      {{"@type", "PropertyValue"}, {"propertyID", "scalesweep identity"}, {"value", p.identity}}};
  if (const std::string address = address_of(d); !address.empty()) {
    identifiers.push_back(address);
  }
  root["identifier"] = std::move(identifiers);
  root["size"] = {{"@type", "PropertyValue"}, {"propertyID", "rows"}, {"value", p.rows}};
  if (const std::string url = citation::license_url(d.license); !url.empty()) {
    root["license"] = {{"@id", url}, {"@type", "CreativeWork"}, {"name", d.license}};
  } else if (!d.license.empty()) {
    root["license"] = d.license;
  }
  add_people(root, d, person_json);
  if (!d.version.empty()) {
    root["version"] = d.version;
  }
  if (!d.keywords.empty()) {
    root["keywords"] = d.keywords;
  }
  for (const citation::RelatedWork& work : d.related) {
    root["citation"].push_back(
        {{"@id", work.url()}, {"@type", "CreativeWork"}, {"name", work.identifier}});
  }
  for (const PublishedFile& file : p.files) {
    root["hasPart"].push_back(file_json(file));
  }
  return root;
}

}  // namespace

std::string ro_crate_json(const Publication& p) {
  Graph graph;
  graph.add({{"@id", ro_crate_name},
             {"@type", "CreativeWork"},
             {"conformsTo", {{"@id", "https://w3id.org/ro/crate/1.1"}}},
             {"about", {{"@id", "./"}}}});
  graph.add(root_json(p));
  graph.add({{"@id", "#run"},
             {"@type", "CreateAction"},
             {"name", "Computation of the study"},
             {"endTime", p.created},
             {"instrument",
              {{"@id", "#scalesweep"}, {"@type", "SoftwareApplication"}, {"name", p.source}}},
             {"result", {{"@id", p.study_file}}}});
  const ordered_json crate = {{"@context", "https://w3id.org/ro/crate/1.1/context"},
                              {"@graph", graph.entities()}};
  return crate.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::publish
