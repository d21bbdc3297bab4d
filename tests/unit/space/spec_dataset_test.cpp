// [dataset]: what it becomes, and what is refused of it.
#include <gmock/gmock.h>

#include "citation/identifiers.hpp"
#include "citation/licenses.hpp"
#include "space/keys/spec_keys.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using citation::Beside;
using citation::Dataset;
using citation::dataset_of_text;
using citation::doi_of;
using citation::is_url;
using citation::orcid_of;
using testing::HasSubstr;
using testing::Not;

const std::string whole = R"(
[dataset]
license = "CC-BY-4.0"
keywords = ["tests", "training"]
summary = "What it is."
institution = "University of Example"
project = "P"
publisher = "Zenodo"
doi = "https://doi.org/10.5281/zenodo.1234567"
version = "1.0"
contact = { name = "Office", email = "data@example.org" }
[[dataset.creators]]
name = "Lovelace, Ada"
orcid = "https://orcid.org/0000-0002-1825-0097"
affiliation = "University of Example"
email = "ada@example.org"
[[dataset.creators]]
name = "CERN"
[[dataset.related]]
identifier = "arXiv:2407.14645"
relation = "IsDerivedFrom"
[[dataset.related]]
identifier = "10.1000/182"
[[dataset.funding]]
funder = "F"
award = "1"
[[dataset.funding]]
funder = "G"
)";

std::string saying(const std::string& dataset) {
  return std::string(tests::catalogued_spec) + "[dataset]\n" + dataset;
}

TEST(SpecDataset, BecomesAttributes) {
  const Dataset dataset = good(std::string(tests::catalogued_spec) + whole).dataset;
  const std::map<std::string, std::string> expected = {
      {"summary", "What it is."},
      {"keywords", "tests, training"},
      {"license", "CC-BY-4.0"},
      {"creator_name", "Lovelace, Ada; CERN"},
      {"creator_type", "person; institution"},
      {"creator_email", "ada@example.org; "},
      {"creator_institution", "University of Example; "},
      {"creator_url", "https://orcid.org/0000-0002-1825-0097; "},
      {"institution", "University of Example"},
      {"project", "P"},
      {"acknowledgement", "Funded by F, award 1; G"},
      {"publisher_name", "Zenodo"},
      {"related",
       "IsDerivedFrom https://arxiv.org/abs/2407.14645; References https://doi.org/10.1000/182"},
      {"id", "10.5281/zenodo.1234567"},
      {"naming_authority", "org.doi"},
      {"product_version", "1.0"},
      {"contact", "Office <data@example.org>"}};
  EXPECT_EQ(dataset_attributes(dataset), expected);
  for (const auto& [name, text] : expected) {
    EXPECT_THAT(citation::dataset_attribute_names(), testing::Contains(name));
  }
  EXPECT_TRUE(dataset_attributes(good(std::string(tests::catalogued_spec)).dataset).empty());
}

TEST(SpecDataset, RefusesALicenceThatIsNotListed) {
  EXPECT_THAT(refused(saying("license = \"CC-BY-4\"\n")),
              HasSubstr("'CC-BY-4' is no licence of the SPDX list; did you mean 'CC-BY-4.0'?"));
  EXPECT_THAT(refused(saying("license = \"GPL-3.0\"\n")),
              HasSubstr("did you mean 'GPL-3.0-only' or 'GPL-3.0-or-later'?"));
  const std::string far = refused(saying("license = \"my own terms\"\n"));
  EXPECT_THAT(far, HasSubstr("usual for data are CC-BY-4.0 and CC0-1.0"));
  EXPECT_THAT(far, HasSubstr("written LicenseRef-NAME"));
  EXPECT_THAT(far, Not(HasSubstr("did you mean")));
  EXPECT_EQ(good(saying("license = \"LicenseRef-Lab-1.0\"\n")).dataset.license,
            "LicenseRef-Lab-1.0");
  EXPECT_THAT(refused(saying("license = \"LicenseRef-\"\n")), HasSubstr("is no licence"));
  EXPECT_THAT(refused(saying("license = \"LicenseRef-a b\"\n")), HasSubstr("is no licence"));
}

// Places of the digits count; the last may be X.
TEST(Identifiers, OrcidHasACheckDigit) {
  for (const char* good : {"0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"}) {
    EXPECT_EQ(orcid_of(good), good);
  }
  for (const char* bad : {"0000-0002-1825-0079", "0000-0001-5109-3701", "0000-0002-1694-2330",
                          "000X-0002-1694-233X", "0000000218250097", "", "0000-0002-1825-009"}) {
    EXPECT_FALSE(orcid_of(bad)) << bad;
  }
}

TEST(Identifiers, FormsOfWorks) {
  EXPECT_EQ(doi_of("doi:10.1000/182"), "10.1000/182");
  EXPECT_EQ(doi_of("10.1000.10/a/b"), "10.1000.10/a/b");
  for (const char* bad : {"10.100/182", "10.1000/", "10.1000", "10.1000/a b", "10.1000x/a"}) {
    EXPECT_FALSE(doi_of(bad)) << bad;
  }
  EXPECT_TRUE(is_url("https://example.org/a"));
  for (const char* bad : {"https://", "example.org", "https:///a", "https://a b"}) {
    EXPECT_FALSE(is_url(bad)) << bad;
  }
}

TEST(DatasetFile, HoldsTheTableAlone) {
  Diagnostics diagnostics;
  const auto dataset = dataset_of_text("d.toml", whole, spec_keys(), Beside::nothing, diagnostics);
  ASSERT_TRUE(dataset) << diagnostics.text();
  EXPECT_EQ(dataset->creators.size(), 2U);
  const auto mistakes = [](const std::string& text) {
    Diagnostics found;
    EXPECT_FALSE(dataset_of_text("d.toml", text, spec_keys(), Beside::nothing, found));
    return found.text();
  };
  EXPECT_THAT(mistakes("license = \"CC-BY-4.0\"\n"), HasSubstr("there is no table [dataset]"));
  EXPECT_THAT(mistakes("title = \"a\"\n[dataset]\n"), HasSubstr("'title' is not of [dataset]"));
  EXPECT_THAT(mistakes("[dataset]\nlicence = \"CC0-1.0\"\n"), HasSubstr("did you mean 'license'?"));
  EXPECT_THAT(mistakes("[dataset\n"), HasSubstr("d.toml:1"));
}

TEST(DatasetFile, StandsInPlaceKeyByKey) {
  Dataset spec;
  spec.license = "CC0-1.0";
  spec.summary = "Of the spec.";
  Dataset over;
  over.license = "CC-BY-4.0";
  over.creators = {{.name = "CERN"}};
  const Dataset both = merged(spec, over);
  EXPECT_EQ(both.license, "CC-BY-4.0");
  EXPECT_EQ(both.summary, "Of the spec.");
  EXPECT_EQ(both.creators.size(), 1U);
}

}  // namespace
}  // namespace scalesweep::space
