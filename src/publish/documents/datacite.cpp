#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "citation/identifiers.hpp"
#include "citation/licenses.hpp"
#include "core/text.hpp"
#include "publish/documents/documents.hpp"

namespace scalesweep::publish {
namespace {

using nlohmann::ordered_json;

constexpr const char* unavailable = ":unav";

ordered_json creator_json(const citation::Creator& creator) {
  ordered_json json = {{"name", creator.name},
                       {"nameType", creator.is_person() ? "Personal" : "Organizational"}};
  if (creator.is_person()) {
    json["familyName"] = creator.family_name();
    if (!creator.given_name().empty()) {
      json["givenName"] = creator.given_name();
    }
  }
  if (!creator.affiliation.empty()) {
    json["affiliation"] = {{{"name", creator.affiliation}}};
  }
  if (!creator.orcid.empty()) {
    json["nameIdentifiers"] = {{{"nameIdentifier", "https://orcid.org/" + creator.orcid},
                                {"nameIdentifierScheme", "ORCID"},
                                {"schemeUri", "https://orcid.org"}}};
  }
  return json;
}

ordered_json creators_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  for (const citation::Creator& creator : dataset.creators) {
    list.push_back(creator_json(creator));
  }
  if (list.empty()) {
    list.push_back({{"name", unavailable}});
  }
  return list;
}

ordered_json contributors_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  if (!dataset.institution.empty()) {
    list.push_back({{"name", dataset.institution},
                    {"nameType", "Organizational"},
                    {"contributorType", "Producer"}});
  }
  if (dataset.contact) {
    const citation::Contact& contact = *dataset.contact;
    list.push_back({{"name", contact.name.empty() ? contact.email : contact.name},
                    {"contributorType", "ContactPerson"}});
  }
  return list;
}

ordered_json identifiers_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  if (!dataset.doi.empty()) {
    list.push_back({{"identifier", "https://doi.org/" + dataset.doi}, {"identifierType", "DOI"}});
  }
  if (!dataset.identifier.empty()) {
    list.push_back({{"identifier", dataset.identifier}, {"identifierType", "URL"}});
  }
  return list;
}

ordered_json related_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  for (const citation::RelatedWork& work : dataset.related) {
    const auto doi = citation::doi_of(work.identifier);
    const bool is_arxiv = !doi && citation::arxiv_of(work.identifier).has_value();
    list.push_back({{"relatedIdentifier", doi ? *doi : work.identifier},
                    {"relatedIdentifierType", doi        ? "DOI"
                                              : is_arxiv ? "arXiv"
                                                         : "URL"},
                    {"relationType", work.relation}});
  }
  return list;
}

ordered_json rights_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  if (dataset.license.empty()) {
    return list;
  }
  ordered_json rights = {{"rights", dataset.license}, {"rightsIdentifier", dataset.license}};
  if (const std::string url = citation::license_url(dataset.license); !url.empty()) {
    rights["rightsUri"] = url;
    rights["rightsIdentifierScheme"] = "SPDX";
    rights["schemeUri"] = "https://spdx.org/licenses/";
  }
  list.push_back(std::move(rights));
  return list;
}

ordered_json funding_json(const citation::Dataset& dataset) {
  auto list = ordered_json::array();
  for (const citation::Funding& one : dataset.funding) {
    ordered_json json = {{"funderName", one.funder}};
    if (!one.award.empty()) {
      json["awardNumber"] = one.award;
    }
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json formats_json(const Publication& p) {
  std::vector<std::string> types;  // in the order of the files
  for (const PublishedFile& file : p.files) {
    if (std::find(types.begin(), types.end(), file.media_type) == types.end()) {
      types.push_back(file.media_type);
    }
  }
  return types;
}

}  // namespace

std::string datacite_json(const Publication& p) {
  const citation::Dataset& d = p.dataset;
  ordered_json json = {{"schemaVersion", "http://datacite.org/schema/kernel-4"}};
  if (!d.doi.empty()) {
    json["doi"] = d.doi;
  }
  json["identifiers"] = identifiers_json(d);
  json["creators"] = creators_json(d);
  json["titles"] = {{{"title", p.title}}};
  json["publisher"] = d.publisher.empty() ? unavailable : d.publisher;
  json["publicationYear"] = p.published.substr(0, 4);
  json["types"] = {{"resourceTypeGeneral", "Dataset"}, {"resourceType", "Performance estimates"}};
  json["subjects"] = ordered_json::array();
  for (const std::string& keyword : d.keywords) {
    json["subjects"].push_back({{"subject", keyword}});
  }
  json["contributors"] = contributors_json(d);
  json["dates"] = {{{"date", p.created}, {"dateType", "Created"}},
                   {{"date", p.published}, {"dateType", "Issued"}}};
  json["language"] = "en";
  json["alternateIdentifiers"] = {
      {{"alternateIdentifier", p.identity}, {"alternateIdentifierType", "scalesweep identity"}}};
  json["relatedIdentifiers"] = related_json(d);
  json["sizes"] = {fmt::format("{} rows", p.rows), fmt::format("{} columns", p.columns.size())};
  json["formats"] = formats_json(p);
  if (!d.version.empty()) {
    json["version"] = d.version;
  }
  json["rightsList"] = rights_json(d);
  json["descriptions"] = {{{"description", description_of(p)}, {"descriptionType", "Abstract"}},
                          {{"description", p.references}, {"descriptionType", "Methods"}}};
  json["fundingReferences"] = funding_json(d);
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::publish
