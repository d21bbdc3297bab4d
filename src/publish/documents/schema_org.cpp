#include <nlohmann/json.hpp>

#include "citation/licenses.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"
#include "publish/documents/people.hpp"

namespace scalesweep::publish {
namespace {

using nlohmann::ordered_json;

ordered_json variables(const Publication& p) {
  auto list = ordered_json::array();
  for (const PublishedColumn& column : p.columns) {
    ordered_json variable = {
        {"@type", "PropertyValue"}, {"name", column.name}, {"description", column.description}};
    if (!column.units.empty()) {
      variable["unitText"] = column.units;
    }
    list.push_back(std::move(variable));
  }
  return list;
}

ordered_json distributions(const Publication& p) {
  auto list = ordered_json::array();
  for (const PublishedFile& file : p.files) {
    list.push_back({{"@type", "DataDownload"},
                    {"name", file.name},
                    {"description", file.description},
                    {"contentUrl", file.name},
                    {"encodingFormat", file.media_type},
                    {"contentSize", std::to_string(file.bytes)},
                    {"sha256", file.sha256}});
  }
  return list;
}

ordered_json property(const char* name, const ordered_json& value) {
  return {{"@type", "PropertyValue"}, {"propertyID", name}, {"value", value}};
}

}  // namespace

std::string schema_org_json(const Publication& p) {
  const citation::Dataset& d = p.dataset;
  ordered_json json = {{"@context", "https://schema.org/"},
                       {"@type", "Dataset"},
                       {"name", p.title},
                       {"description", description_of(p)},
                       {"identifier", ordered_json::array()},
                       {"additionalProperty", {property("rows", p.rows)}},
                       {"dateCreated", p.created},
                       {"datePublished", p.published}};
  if (const std::string address = address_of(d); !address.empty()) {
    json["url"] = address;
    json["identifier"].push_back(address);
  }
  json["identifier"].push_back(property("scalesweep identity", p.identity));
  add_people(json, d, [](const citation::Creator& creator) { return person_json(creator); });
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      json[key] = value;
    }
  };
  add("license", license_address(d));
  add("version", d.version);
  add("creditText", citation_of(p));
  add("measurementTechnique", p.references);
  if (!d.keywords.empty()) {
    json["keywords"] = d.keywords;
  }
  for (const citation::RelatedWork& work : d.related) {
    json["citation"].push_back(work.url());
  }
  json["isAccessibleForFree"] = true;
  json["variableMeasured"] = variables(p);
  json["distribution"] = distributions(p);
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::publish
