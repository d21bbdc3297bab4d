// scalesweep publish and verify: what is made, and what is refused. What others read of a folder:
// tests/published.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "core/hash.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string stated = R"(
[dataset]
license = "CC-BY-4.0"
summary = "Of tests."
keywords = ["tests"]
publisher = "Zenodo"
doi = "10.5281/zenodo.1234567"
version = "1"
[[dataset.creators]]
name = "Lovelace, Ada"
orcid = "0000-0002-1825-0097"
)";

class PublishCommand : public CliTest {
 protected:
  // Without figures: those are drawn by another program.
  Said publish(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"publish", file, "-o", path("data"), "--no-figures"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  }
  Said verify() const { return scalesweep({"verify", path("data")}); }
  std::string published(const std::string& dataset = stated) const {
    const Said said = publish(study(dataset));
    EXPECT_EQ(said.code, 0) << said.err;
    return path("data");
  }
  void expect_nothing_beside() const {
    for (const auto& entry : fs::directory_iterator(folder())) {
      EXPECT_FALSE(contains(entry.path().string(), ".partial")) << entry.path();
    }
  }
  // Another text, and a manifest that says so.
  void replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = content(path("data/" + name));
    ASSERT_NE(text.find(from), std::string::npos) << name;
    const std::string before = sha256(text);
    text.replace(text.find(from), from.size(), to);
    write("data/" + name, text);
    std::string manifest = content(path("data/manifest-sha256.txt"));
    manifest.replace(manifest.find(before), before.size(), sha256(text));
    write("data/manifest-sha256.txt", manifest);
  }
};

TEST_F(PublishCommand, TheVerdictSaysWhatFasterResourcesSave) {
  const std::string card = content(published() + "/README.md");
  EXPECT_THAT(card, HasSubstr("    no limit   of "));
  EXPECT_THAT(card, Not(HasSubstr("linear, by the shares")));
}

TEST_F(PublishCommand, MakesAFolderThatIsWhole) {
  const Said said = publish(study(stated));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, Not(HasSubstr("note "))) << "nothing is lacking";
  EXPECT_THAT(said.out, HasSubstr("next: scalesweep verify "));
  for (const char* name :
       {"out.h5", "README.md", "CITATION.cff", "datacite.json", "spec.toml", "schema-org.jsonld",
        "ro-crate-metadata.json", "catalog.toml", "manifest-sha256.txt"}) {
    EXPECT_TRUE(fs::exists(path(std::string("data/") + name))) << name;
  }
  EXPECT_EQ(content(path("data/spec.toml")), content(path("spec.toml")));
  const Said good = verify();
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("9 files, "));
  EXPECT_THAT(good.out, HasSubstr("every checksum holds, and the metadata agree"));
  expect_nothing_beside();
}

TEST_F(PublishCommand, SaysWhatACitationLacks) {
  const Said said = publish(study());
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("no creators: nobody can be cited; write [[dataset.creators]]"));
  EXPECT_THAT(said.err, HasSubstr("no licence: nobody else may use the data"));
  EXPECT_THAT(said.err, HasSubstr("or publish again with --dataset FILE.toml"));
  EXPECT_THAT(said.err, HasSubstr("a reader would like summary, keywords, publisher, version"));
  EXPECT_THAT(said.err, HasSubstr("no DOI"));
  EXPECT_EQ(json::parse(content(path("data/datacite.json")))["creators"][0]["name"], ":unav");
  EXPECT_EQ(verify().code, 0) << verify().err;
}

// Whoever reads the card sees the texts, and no tag, link or table of theirs.
TEST_F(PublishCommand, TextsOfOthersStayTextsInTheCard) {
  const std::string nasty = R"([dataset]
license = "CC-BY-4.0"
summary = "<script>alert(1)</script> [x](javascript:1)\n# head | cell"
publisher = "a | b `c"
[[dataset.creators]]
name = "Lovelace, <b>Ada</b>"
affiliation = "<img src=x onerror=y>"
)";
  const Said said = publish(study(), {"--dataset", write("nasty.toml", nasty)});
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string card = content(path("data/README.md"));
  EXPECT_THAT(
      card,
      HasSubstr("\n\\<script\\>alert(1)\\</script\\> \\[x\\](javascript:1)\n\\# head \\| cell\n"));
  EXPECT_THAT(card, HasSubstr("| Publisher | a \\| b \\`c |"));
  EXPECT_THAT(card, HasSubstr("| Creators | Lovelace, \\<b\\>Ada\\</b\\>, \\<img src=x"));
  for (const char* raw : {"<script", "<b>", "<img", "](javascript"}) {
    const std::size_t at = card.find(raw);
    EXPECT_TRUE(at == std::string::npos || card[at - (raw[0] == '<' ? 1 : 0)] == '\\' ||
                card[at - 1] == '\\')
        << raw;
  }
}

// A seal is made for every published file: it says nothing of where the values are from.
TEST_F(PublishCommand, SaysThatItsSourceHadNoSeal) {
  const std::string bytes = content(study(stated));
  const Said said = publish(write("open.h5", bytes.substr(0, bytes.size() - 1)));
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("note     the study had no seal when it was published"));
  EXPECT_THAT(content(path("data/README.md")),
              HasSubstr("| Seal | the study had no seal when it was published"));
}

TEST_F(PublishCommand, SaysWhatASpreadsheetMakesOfNames) {
  const std::string file = study(stated);
  EXPECT_EQ(publish(file, {"--spreadsheet"}).code, 64);
  ASSERT_EQ(publish(file, {"--csv"}).code, 0);
  const std::string card = content(path("data/README.md"));
  EXPECT_THAT(card, HasSubstr("a spreadsheet may take one that begins with one of `= + - @`"));
  EXPECT_THAT(card, Not(HasSubstr("| Seal |")));
  fs::remove_all(path("data"));
  ASSERT_EQ(publish(file, {"--csv", "--spreadsheet"}).code, 0);
  EXPECT_THAT(content(path("data/README.md")), HasSubstr("has an apostrophe before it"));
}

TEST_F(PublishCommand, TakesWhatTheSpecLacksFromAFile) {
  const std::string file = study("[dataset]\nlicense = \"CC0-1.0\"\nsummary = \"Of the spec.\"\n");
  const std::string before = content(file);
  const std::string more = write("more.toml",
                                 "[dataset]\nlicense = \"CC-BY-4.0\"\n"
                                 "[[dataset.creators]]\nname = \"Ada Lovelace\"\n"
                                 "affiliation = \"U\"\n");
  const Said said = publish(file, {"--dataset", more});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("'Ada Lovelace' has no comma between family and given name"));
  EXPECT_EQ(content(file), before) << "the input stays";
  const json record = json::parse(content(path("data/datacite.json")));
  EXPECT_EQ(record["rightsList"][0]["rightsIdentifier"], "CC-BY-4.0");
  EXPECT_EQ(record["descriptions"][0]["description"], "Of the spec.");
  EXPECT_EQ(verify().code, 0) << verify().err;
}

TEST_F(PublishCommand, RefusesWhatIsNoDataSetFile) {
  const std::string file = study();
  const Said unknown =
      publish(file, {"--dataset", write("d.toml", "[dataset]\nlicense = \"CC-BY-4\"\n")});
  EXPECT_EQ(unknown.code, 65);
  EXPECT_THAT(unknown.err, HasSubstr("d.toml:2:"));
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'CC-BY-4.0'?"));
  EXPECT_EQ(publish(file, {"--dataset", path("no.toml")}).code, 66);
  EXPECT_FALSE(fs::exists(path("data")));
}

TEST_F(PublishCommand, OverwritesNothing) {
  const std::string file = study();
  fs::create_directory(path("data"));
  const Said said = publish(file);
  EXPECT_EQ(said.code, 73);
  EXPECT_THAT(said.err, HasSubstr("data is there already; move it or choose another name for -o"));
  EXPECT_TRUE(fs::is_empty(path("data")));
  EXPECT_EQ(scalesweep({"publish", file}).code, 64);
  const Said nowhere = scalesweep({"publish", file, "-o", path("no/such/data")});
  EXPECT_EQ(nowhere.code, 73);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot make the folder"));
  expect_nothing_beside();
}

TEST_F(PublishCommand, RefusesAStudyThatIsNotFinished) {
  const Said part = scalesweep({"run", spec(), "-o", path("part.h5"), "--quiet", "--shard", "1/2"});
  EXPECT_EQ(part.code, 0) << part.err;
  const Said said = publish(path("part.h5"));
  EXPECT_EQ(said.code, 66);
  EXPECT_THAT(said.err, HasSubstr("part.h5"));
  EXPECT_EQ(publish(path("none.h5")).code, 66);
  EXPECT_EQ(publish(spec()).code, 65);
  EXPECT_FALSE(fs::exists(path("data")));
  expect_nothing_beside();
}

TEST_F(PublishCommand, RefusesADamagedStudy) {
  for (const bool is_anonymous : {false, true}) {
    std::vector<std::string> run = {"run", spec(stated), "-o", path("out.h5"), "--quiet"};
    if (is_anonymous) {
      run.emplace_back("--anonymous");
    }
    EXPECT_EQ(scalesweep(run).code, 0);
    std::string bytes = content(path("out.h5"));
    const std::size_t in_a_chunk = 4096 + 40;
    bytes[in_a_chunk] = static_cast<char>(bytes[in_a_chunk] ^ 1);
    write("out.h5", bytes);
    const Said said = publish(path("out.h5"));
    EXPECT_EQ(said.code, 74);
    EXPECT_THAT(said.err, HasSubstr("its checksum does not hold"));
    EXPECT_FALSE(fs::exists(path("data")));
    expect_nothing_beside();
    fs::remove(path("out.h5"));
  }
}

TEST_F(PublishCommand, VerifyNamesWhatChanged) {
  const std::string data = published();
  std::string text = content(path("data/spec.toml"));
  text[0] = static_cast<char>(text[0] ^ 1);
  write("data/spec.toml", text);
  fs::remove(path("data/CITATION.cff"));
  write("data/more.txt", "mine");
  fs::create_symlink("more.txt", path("data/link"));
  const Said said = verify();
  EXPECT_EQ(said.code, 65);
  EXPECT_THAT(said.err, HasSubstr("data/spec.toml: its bytes are not those that were published"));
  EXPECT_THAT(said.err, HasSubstr("data/CITATION.cff: it is missing; take it from where"));
  EXPECT_THAT(said.err, HasSubstr("data/more.txt: it is not in manifest-sha256.txt; remove it"));
  EXPECT_THAT(said.err, HasSubstr("data/link: it is no plain file"));
}

TEST_F(PublishCommand, VerifySeesEveryByteOfTheStudy) {
  published();
  std::string bytes = content(path("data/out.h5"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write("data/out.h5", bytes);
  const Said said = verify();
  EXPECT_EQ(said.code, 65);
  EXPECT_THAT(said.err, HasSubstr("data/out.h5: its bytes are not those"));
}

// With a manifest that fits: then the documents must say what the study says.
TEST_F(PublishCommand, VerifyComparesDocumentsWithTheStudy) {
  published();
  replace("CITATION.cff", "title: \"Small", "title: \"Large");
  replace("datacite.json", "CC-BY-4.0", "CC0-1.0");
  replace("datacite.json", "\"rightsIdentifier\": \"CC-BY-4.0\"", "\"rightsIdentifier\": \"MIT\"");
  const std::string rows =
      json::parse(content(path("data/schema-org.jsonld")))["additionalProperty"][0]["value"].dump();
  replace("schema-org.jsonld", "\"value\": " + rows, "\"value\": 1");
  replace("ro-crate-metadata.json", "\"@graph\"", "\"graph\"");
  const Said said = verify();
  EXPECT_EQ(said.code, 65);
  EXPECT_THAT(said.err, HasSubstr("CITATION.cff: its title is 'Large study', that of the study "
                                  "'Small study'; publish the study again"));
  EXPECT_THAT(said.err, HasSubstr("datacite.json: its licence is 'MIT', that of the study"));
  EXPECT_THAT(said.err, HasSubstr("schema-org.jsonld: its number of rows is '1', that of the"));
  EXPECT_THAT(said.err, HasSubstr("ro-crate-metadata.json: it cannot be read: "));
}

TEST_F(PublishCommand, VerifyRefusesWhatWasNotPublished) {
  EXPECT_EQ(scalesweep({"verify", path("none")}).code, 66);
  EXPECT_EQ(scalesweep({"verify"}).code, 64);
  fs::create_directory(path("data"));
  const Said said = verify();
  EXPECT_EQ(said.code, 66);
  EXPECT_THAT(said.err, HasSubstr("manifest-sha256.txt is missing"));
  const std::string hash(64, '0');
  for (const std::string& line : {std::string("abc  file"), hash + " file", hash + "  ../file",
                                  hash + "  a\n" + hash + "  a"}) {
    write("data/manifest-sha256.txt", line + "\n");
    const Said bad = verify();
    EXPECT_EQ(bad.code, 65) << line;
    EXPECT_THAT(bad.err, HasSubstr("it is no line of a manifest")) << line;
  }
}

TEST_F(PublishCommand, AFinishedFileKeepsItsNames) {
  const std::string file = study();
  const Said said = scalesweep({"merge", file, "--anonymous"});
  EXPECT_EQ(said.code, 73);
  EXPECT_THAT(said.err, HasSubstr("makes a copy without them"));
  const Said by_segments = scalesweep({"merge", file, "--anonymous", "--layout", "virtual"});
  EXPECT_EQ(by_segments.code, 64);
  EXPECT_THAT(by_segments.err, HasSubstr("--anonymous goes with --layout merged"));
}

// Neither values nor identity depend on what is said of the data.
TEST_F(PublishCommand, DataSetsAreNoPartOfTheIdentity) {
  const std::string one = study();
  fs::rename(one, path("one.h5"));
  study(stated);
  const Said said = scalesweep({"diff", path("one.h5"), path("out.h5")});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  const store::StudyReader plain(path("one.h5"));
  const store::StudyReader rich(path("out.h5"));
  EXPECT_EQ(plain.identity(), rich.identity());
  EXPECT_EQ(plain.root_attribute("license"), "");
  EXPECT_EQ(rich.root_attribute("license"), "CC-BY-4.0");
}

}  // namespace
}  // namespace scalesweep::test
