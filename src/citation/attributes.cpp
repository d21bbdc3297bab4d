// A data set as attributes after the Attribute Convention for Data Discovery 1.3.
#include <fmt/format.h>

#include <algorithm>

#include "citation/dataset.hpp"
#include "core/text.hpp"

namespace scalesweep::citation {
namespace {

constexpr std::string_view between = "; ";

using Row = std::pair<std::string, std::string (*)(const Dataset&)>;

// Of each creator one text, also an empty one: places go with those of the names. Nothing where
// all are empty.
template <typename TextOf>
std::string of_creators(const Dataset& dataset, TextOf text_of) {
  std::vector<std::string> texts;
  for (const Creator& creator : dataset.creators) {
    texts.push_back(text_of(creator));
  }
  const bool any = std::any_of(texts.begin(), texts.end(),
                               [](const std::string& text) { return !text.empty(); });
  return any ? join(texts, between) : "";
}

std::string acknowledgement(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const Funding& one : dataset.funding) {
    texts.push_back(one.award.empty() ? one.funder
                                      : fmt::format("{}, award {}", one.funder, one.award));
  }
  return texts.empty() ? "" : "Funded by " + join(texts, between);
}

std::string related(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const RelatedWork& work : dataset.related) {
    texts.push_back(fmt::format("{} {}", work.relation, work.url()));
  }
  return join(texts, between);
}

std::string contact(const Dataset& dataset) {
  if (!dataset.contact) {
    return "";
  }
  const Contact& one = *dataset.contact;
  return one.name.empty() ? one.email : fmt::format("{} <{}>", one.name, one.email);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"summary", [](const Dataset& d) { return d.summary; }},
      {"keywords", [](const Dataset& d) { return join(d.keywords, ", "); }},
      {"license", [](const Dataset& d) { return d.license; }},
      {"creator_name",
       [](const Dataset& d) { return of_creators(d, [](const Creator& c) { return c.name; }); }},
      {"creator_type",
       [](const Dataset& d) {
         return of_creators(
             d, [](const Creator& c) { return c.is_person() ? "person" : "institution"; });
       }},
      {"creator_email",
       [](const Dataset& d) { return of_creators(d, [](const Creator& c) { return c.email; }); }},
      {"creator_institution",
       [](const Dataset& d) {
         return of_creators(d, [](const Creator& c) { return c.affiliation; });
       }},
      {"creator_url",
       [](const Dataset& d) {
         return of_creators(d, [](const Creator& c) {
           return c.orcid.empty() ? "" : "https://orcid.org/" + c.orcid;
         });
       }},
      {"institution", [](const Dataset& d) { return d.institution; }},
      {"project", [](const Dataset& d) { return d.project; }},
      {"acknowledgement", acknowledgement},
      {"publisher_name", [](const Dataset& d) { return d.publisher; }},
      {"related", related},
      {"id", [](const Dataset& d) { return d.doi.empty() ? d.identifier : d.doi; }},
      {"naming_authority",
       [](const Dataset& d) { return std::string(d.doi.empty() ? "" : "org.doi"); }},
      {"product_version", [](const Dataset& d) { return d.version; }},
      {"contact", contact},
  };
  return all;
}

}  // namespace

std::map<std::string, std::string> dataset_attributes(const Dataset& dataset) {
  std::map<std::string, std::string> attributes;
  for (const auto& [name, text_of] : rows()) {
    if (std::string text = text_of(dataset); !text.empty()) {
      attributes[name] = std::move(text);
    }
  }
  return attributes;
}

const std::vector<std::string>& dataset_attribute_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& row : rows()) {
      all.push_back(row.first);
    }
    return all;
  }();
  return names;
}

}  // namespace scalesweep::citation
