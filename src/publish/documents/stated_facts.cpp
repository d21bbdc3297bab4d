#include "publish/documents/stated_facts.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

#include "core/documents/foreign.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"

namespace scalesweep::publish {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

// The value of the PropertyValue with this propertyID among several.
std::string property(const json& list, const char* name) {
  for (const json& one : list) {
    if (one.is_object() && one.value("propertyID", "") == name) {
      return text_of(one.at("value"));
    }
  }
  return "";
}

StatedFacts of_datacite(const json& document) {
  StatedFacts facts;
  facts.title = text_of(document.at("titles").at(0).at("title"));
  const json& rights = document.at("rightsList");
  facts.license = rights.empty() ? "" : text_of(rights.at(0).at("rightsIdentifier"));
  facts.identity = text_of(document.at("alternateIdentifiers").at(0).at("alternateIdentifier"));
  const std::string size = text_of(document.at("sizes").at(0));
  facts.rows = size.substr(0, size.find(' '));
  return facts;
}

StatedFacts of_schema_org(const json& document) {
  return {text_of(document.at("name")), document.value("license", ""),
          property(document.at("identifier"), "scalesweep identity"),
          property(document.at("additionalProperty"), "rows")};
}

// The entity of an id.
const json& entity(const json& graph, const std::string& id) {
  for (const json& one : graph) {
    if (one.value("@id", "") == id) {
      return one;
    }
  }
  throw std::runtime_error("it has no entity '" + id + "'");
}

StatedFacts of_ro_crate(const json& document) {
  const json& graph = document.at("@graph");
  const json& root = entity(graph, "./");
  StatedFacts facts;
  facts.title = text_of(root.at("name"));
  if (const auto license = root.find("license"); license != root.end()) {
    facts.license = license->is_object() ? text_of(license->at("@id")) : text_of(*license);
  }
  json identifiers = json::array();
  for (const json& one : root.at("identifier")) {
    identifiers.push_back(one.is_object() ? entity(graph, one.at("@id")) : one);
  }
  facts.identity = property(identifiers, "scalesweep identity");
  facts.rows = text_of(entity(graph, root.at("size").at("@id")).at("value"));
  return facts;
}

// Lines "key: text" at the top, and the identifier of type other.
StatedFacts of_citation(const std::string& text) {
  const auto value_of = [](std::string_view line) {
    const std::string value(trim(line.substr(line.find(':') + 1)));
    return value.starts_with('"') ? parsed_json(value).get<std::string>() : value;
  };
  StatedFacts facts;
  bool is_other = false;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view inner = trim(line);
    if (line.starts_with("title:")) {
      facts.title = value_of(line);
    } else if (line.starts_with("license:")) {
      facts.license = value_of(line);
    } else if (inner.starts_with("- type:")) {
      is_other = value_of(inner) == "other";
    } else if (is_other && inner.starts_with("value:")) {
      facts.identity = value_of(inner);
    }
  }
  return facts;
}

}  // namespace

StatedFacts facts_in(const std::string& document, const std::string& text) {
  try {
    if (document == citation_name) {
      return of_citation(text);
    }
    const json parsed = parsed_json(text);
    if (document == datacite_name) {
      return of_datacite(parsed);
    }
    return document == schema_org_name ? of_schema_org(parsed) : of_ro_crate(parsed);
  } catch (const json::exception& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace scalesweep::publish
