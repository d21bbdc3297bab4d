#include "publish/documents/people.hpp"

#include "citation/licenses.hpp"

namespace scalesweep::publish {

using nlohmann::ordered_json;

ordered_json person_json(const citation::Creator& creator) {
  ordered_json json = {{"@type", creator.is_person() ? "Person" : "Organization"},
                       {"name", creator.name}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      json[key] = value;
    }
  };
  if (creator.is_person()) {
    add("familyName", creator.family_name());
    add("givenName", creator.given_name());
  }
  add("email", creator.email);
  add("@id", creator.orcid.empty() ? "" : "https://orcid.org/" + creator.orcid);
  if (!creator.affiliation.empty()) {
    json["affiliation"] = {{"@type", "Organization"}, {"name", creator.affiliation}};
  }
  return json;
}

void add_people(ordered_json& json, const citation::Dataset& dataset,
                const std::function<ordered_json(const citation::Creator&)>& of_creator) {
  const auto organization = [](const std::string& name) {
    return ordered_json{{"@type", "Organization"}, {"name", name}};
  };
  for (const citation::Creator& creator : dataset.creators) {
    json["creator"].push_back(of_creator(creator));
  }
  if (!dataset.publisher.empty()) {
    json["publisher"] = organization(dataset.publisher);
  }
  if (!dataset.institution.empty()) {
    json["sourceOrganization"] = organization(dataset.institution);
  }
  for (const citation::Funding& one : dataset.funding) {
    ordered_json grant = {{"@type", "Grant"}, {"funder", organization(one.funder)}};
    if (!one.award.empty()) {
      grant["identifier"] = one.award;
    }
    json["funding"].push_back(std::move(grant));
  }
  if (dataset.contact) {
    json["contactPoint"] = {{"@type", "ContactPoint"}, {"email", dataset.contact->email}};
    if (!dataset.contact->name.empty()) {
      json["contactPoint"]["name"] = dataset.contact->name;
    }
  }
}

std::string license_address(const citation::Dataset& dataset) {
  const std::string url = citation::license_url(dataset.license);
  return url.empty() ? dataset.license : url;
}

}  // namespace scalesweep::publish
