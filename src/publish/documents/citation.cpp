// CITATION.cff, which is YAML.
#include <fmt/format.h>

#include "citation/licenses.hpp"
#include "core/documents/escapes.hpp"
#include "publish/documents/documents.hpp"

namespace scalesweep::publish {
namespace {

// Lines "  key: text" of one entry of a list.
class Entry {
 public:
  void add(const char* key, const std::string& text) {
    if (!text.empty()) {
      lines_ += fmt::format("{}{}: {}\n", lines_.empty() ? "  - " : "    ", key, yaml_text(text));
    }
  }
  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
};

std::string author(const citation::Creator& creator) {
  Entry entry;
  if (creator.is_person()) {
    entry.add("family-names", creator.family_name());
    entry.add("given-names", creator.given_name());
    entry.add("affiliation", creator.affiliation);
  } else {
    entry.add("name", creator.name);
  }
  entry.add("email", creator.email);
  entry.add("orcid", creator.orcid.empty() ? "" : "https://orcid.org/" + creator.orcid);
  return entry.lines();
}

std::string authors(const citation::Dataset& dataset) {
  if (dataset.creators.empty()) {
    return author({.name = "unknown"});  // the format asks for one
  }
  std::string text;
  for (const citation::Creator& creator : dataset.creators) {
    text += author(creator);
  }
  return text;
}

std::string identifier(const char* type, const std::string& value, const char* description) {
  Entry entry;
  entry.add("type", value.empty() ? "" : type);
  entry.add("value", value);
  entry.add("description", value.empty() ? "" : description);
  return entry.lines();
}

}  // namespace

std::string citation_cff(const Publication& p) {
  const citation::Dataset& d = p.dataset;
  std::string text =
      "cff-version: 1.2.0\ntype: dataset\n"
      "message: \"If you use these data, please cite them as below.\"\n";
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      text += fmt::format("{}: {}\n", key, yaml_text(value));
    }
  };
  add("title", p.title);
  text += "authors:\n" + authors(d);
  add("abstract", description_of(p));
  if (!d.keywords.empty()) {
    text += "keywords:\n";
    for (const std::string& keyword : d.keywords) {
      text += fmt::format("  - {}\n", yaml_text(keyword));
    }
  }
  add("version", d.version);
  add("date-released", p.published);
  if (!citation::license_url(d.license).empty()) {  // the format knows listed ones only
    add("license", d.license);
  }
  add("doi", d.doi);
  add("url", d.doi.empty() ? d.identifier : "");
  text += "identifiers:\n";
  text += identifier("doi", d.doi, "the data set");
  text += identifier("url", d.identifier, "the data set");
  text += identifier("other", p.identity, "hash of all that decides the values of the study");
  return text;
}

}  // namespace scalesweep::publish
