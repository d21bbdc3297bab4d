// Entries of one's own beside the catalog, from the command line to the finished file, and what
// differs between catalogs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/catalog/entries/summary.hpp"
#include "cli_fixture.hpp"
#include "core/hash.hpp"
#include "store/read/reader.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string entry(const std::string& path, const std::string& like, const std::string& rest) {
  return "[" + path + "]\nlike = \"" + like + "\"\nsource = \"me\"\nkind = \"assumed\"\n" + rest;
}

std::string file_text(const std::string& entries) {
  return "schema = 1\n[sources]\nme = \"Own estimate\"\n" + entries;
}

const std::string memory = entry("memory.mine", "HBM3", "capacity = \"20 GiB\"\n");
const std::string model = entry("model.mine", "llama-2-7b", "layers = 16\n");

class OverlaysTest : public CliTest {
 protected:
  // A spec that asks for a model and a memory of one's own.
  std::string own_spec(const std::string& name = "spec.toml") const {
    fs::create_directories((folder() / name).parent_path());
    return write(name, replaced(replaced(small_spec(), "\"llama-2-7b\"", "\"mine\""), "\"HBM3\"]",
                                "\"mine\"]"));
  }
  std::string write_in(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    return write(name, text);
  }
  // Of a run with these words behind it.
  std::string identity(const std::string& spec, std::vector<std::string> words) const {
    const std::string out = path("identity.h5");
    fs::remove(out);
    words.insert(words.begin(), {"run", spec, "-o", out, "--quiet"});
    const Said said = scalesweep(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return store::StudyReader(out).identity();
  }
};

// Of a stack that names a library, the device has its kernels in the study, in explain, with the
// finished file alone, and where measured cases are held against them.
TEST_F(OverlaysTest, AStackBringsTheKernelsOfItsLibraries) {
  const std::string libraries =
      write("libraries.toml",
            file_text("[library.slow]\nsource = \"me\"\nkind = \"assumed\"\nlibrary = \"slow 1\"\n"
                      "device = \"h100-sxm\"\ntensor_sustained = { bf16 = 0.2 }\n" +
                      entry("framework.slow-vllm", "vllm", "libraries = [\"slow 1\"]\n")));
  const std::string spec =
      write("serve.toml",
            "schema = 1\ntitle = \"two libraries\"\n[workload]\nkind = \"inference\"\n"
            "model = \"llama-2-7b\"\nprompt = 2000\noutput = 1\nbatch = 8\n"
            "framework = [\"vllm\", \"slow-vllm\"]\n[system]\naccelerators = 1\n"
            "device = \"h100-sxm\"\n");
  const std::string out = path("two.h5");
  ASSERT_EQ(scalesweep({"run", spec, "--catalog-add", libraries, "-o", out, "--quiet"}).code, 0);
  const store::StudyReader reader(out);
  const store::Table table = reader.read({"latency"}, 0, reader.points());
  EXPECT_GT(table.number(0, 1), 2.0 * table.number(0, 0));
  EXPECT_THAT(scalesweep({"explain", out, "--point", "1"}).out, HasSubstr("gemm of slow 1"));
  EXPECT_THAT(scalesweep({"explain", out, "--point", "0"}).out, Not(HasSubstr("gemm of")));
  const std::string cases = write("kernels.csv",
                                  "case,source,device,gpus,op,m,n,k,precision,library,time_s\n"
                                  "a,me,h100-sxm,1,matmul,4096,4096,4096,bf16,slow 1,1e-3\n"
                                  "b,me,h100-sxm,1,matmul,4096,4096,4096,bf16,cuBLAS,1e-3\n");
  const json rows = json::parse(
      scalesweep({"validate", cases, "--catalog-add", libraries, "--format", "json"}).out);
  EXPECT_GT(rows.at("cases")[0].at("predicted").get<double>(),
            3.0 * rows.at("cases")[1].at("predicted").get<double>());
}

// The figure to reach: each kind in one overlay of under 20 lines, and a run.
TEST_F(OverlaysTest, ThoseThatShipAreShortAndRun) {
  const fs::path shipped = source_folder() / "sweeps" / "own-entries";
  for (const char* kind : {"device", "memory", "node", "model"}) {
    const std::string text = content(shipped / "nodes" / (std::string(kind) + ".toml"));
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20) << kind;
  }
  using Entries = std::map<std::string, std::string>;
  const std::vector<std::pair<std::string, Entries>> studies = {
      {"product", {{"devices my-gpu", "device.toml"}, {"models my-model", "model.toml"}}},
      {"derived",
       {{"memories my-memory", "memory.toml"},
        {"logic foundry/my-node", "node.toml"},
        {"processes my-node", "node.toml"}}}};
  for (const auto& [name, entries] : studies) {
    const std::string file = path(name + ".h5");
    const Said said =
        scalesweep({"run", (shipped / (name + ".toml")).string(), "-o", file, "--quiet"});
    ASSERT_EQ(said.code, 0) << said.err;
    const store::StudyReader reader(file);
    EXPECT_GT(reader.counts().at("ok"), 0);
    Entries stored;
    for (const json& one : json::parse(reader.provenance().at("overlays"))) {
      stored[one.at("entry")] = one.at("file");
      EXPECT_EQ(one.at("sha256").get<std::string>().size(), 64U);
    }
    for (const auto& entry : entries) {
      EXPECT_EQ(stored[entry.first], entry.second);
    }
  }
}

TEST_F(OverlaysTest, AreGivenWhereTheCatalogIs) {
  const std::string spec = own_spec();
  const std::string one = write("a.toml", file_text(memory));
  const std::string two = write("b.toml", file_text(model));
  const Said without = scalesweep({"check", spec});
  EXPECT_EQ(without.code, 65);
  EXPECT_THAT(without.err, HasSubstr("'mine'"));
  const Said said = scalesweep({"check", spec, "--catalog-add", one, "--catalog-add", two});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err,
              HasSubstr("note: overlays: a.toml (memories mine); b.toml (models mine)\n"));
  const Said plan = scalesweep({"plan", spec, "--catalog-add", one, "--catalog-add", two});
  EXPECT_THAT(plan.err, HasSubstr("note: overlays: a.toml (memories mine)"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"catalog", "show", "mine"},
           {"explain", spec, "--point", "0", "--catalog-add", two},
           {"recommend", "--model", "mine", "--device", "h100", "--devices", "8", "--serve",
            "--prompt", "100", "--output-tokens", "10", "--catalog-add", two}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--catalog-add", one});
    const Said shown = scalesweep(all);
    EXPECT_EQ(shown.code, 0) << words.front() << shown.err;
    EXPECT_EQ(shown.err.find("note: overlays: ") == std::string::npos, words.front() == "catalog")
        << words.front() << shown.err;
  }
}

TEST_F(OverlaysTest, OfAProjectAreFoundBesideItsSpec) {
  const std::string spec = own_spec("project/spec.toml");
  write_in("project/nodes/entries.toml", file_text(memory + model));
  write_in("project/nodes/unused.toml", file_text(entry("model.more", "mine", "")));
  const Said said = scalesweep({"check", spec});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("note: overlays: entries.toml (memories mine, models mine); 1 of "
                                  "which nothing is used\n"));
  const Said run = scalesweep({"run", spec, "-o", path("out.h5")});
  EXPECT_THAT(run.err, HasSubstr("note: overlays: entries.toml"));
}

// Without a file there is nothing to find, and the catalog itself is no overlay.
TEST_F(OverlaysTest, AFolderBesideASpecMayBeNone) {
  const std::string spec = write_in("project/spec.toml", small_spec());
  fs::create_directories(folder() / "project" / "nodes");
  EXPECT_THAT(scalesweep({"check", spec}).err, Not(HasSubstr("overlays")));
  fs::remove(folder() / "project" / "nodes");
  fs::copy(nodes_folder(), folder() / "project" / "nodes");
  const Said own = scalesweep({"check", spec, "--catalog", path("project/nodes")});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.err, Not(HasSubstr("overlays")));
  const Said other = scalesweep({"check", spec});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("note: " + path("project/nodes") +
                                   " is a catalog of its own and was not read; name it with "
                                   "--catalog\n"));
  const Said added = scalesweep({"check", spec, "--catalog-add", path("project/nodes")});
  EXPECT_EQ(added.code, 65);
  EXPECT_THAT(added.err, HasSubstr("if it is a catalog of its own, name it with --catalog"));
}

TEST_F(OverlaysTest, FileNamesAndTheirOrderDecideNothing) {
  const std::string spec = own_spec();
  const std::string a = write("a.toml", file_text(memory));
  const std::string b = write("b.toml", file_text(model));
  const std::string z = write("z.toml", "# moved\n" + file_text(memory));
  const std::string both = write("both.toml", file_text(model + memory));
  const std::string first = identity(spec, {"--catalog-add", a, "--catalog-add", b});
  EXPECT_EQ(identity(spec, {"--catalog-add", b, "--catalog-add", a}), first);
  EXPECT_EQ(identity(spec, {"--catalog-add", b, "--catalog-add", z}), first);
  EXPECT_EQ(identity(spec, {"--catalog-add", both}), first);
  // What is not used changes nothing, nor does an overlay change a study without it.
  const std::string more = write("more.toml", file_text(entry("model.more", "llama-2-7b", "")));
  EXPECT_EQ(identity(spec, {"--catalog-add", both, "--catalog-add", more}), first);
  const std::string plain = write("plain.toml", small_spec());
  EXPECT_EQ(identity(plain, {"--catalog-add", both}), identity(plain, {}));
}

// Spec, overlay and catalog are gone; chains of entries are in the file.
TEST_F(OverlaysTest, TheFileIsEnoughToExplainIt) {
  const std::string text = file_text(memory + entry("model.base", "llama-2-7b", "layers = 20\n") +
                                     entry("model.mine", "base", "layers = 16\n"));
  const std::string overlay = write("own.toml", text);
  const std::string spec = own_spec();
  const std::string file = path("out.h5");
  ASSERT_EQ(scalesweep({"run", spec, "-o", file, "--catalog-add", overlay, "--quiet"}).code, 0);
  const Said of_spec = scalesweep({"explain", spec, "--point", "3", "--catalog-add", overlay});
  fs::remove(spec);
  fs::remove(overlay);
  const Said of_file = scalesweep({"explain", file, "--point", "3", "--catalog", "/none"});
  EXPECT_EQ(of_file.code, 0) << of_file.err;
  EXPECT_EQ(of_file.out, of_spec.out);
  EXPECT_THAT(of_file.err, HasSubstr("note: overlays: own.toml (memories mine, models base, models "
                                     "mine)"));
  const auto texts = store::StudyReader(file).provenance();
  json overlays = json::array();
  for (const char* name : {"memories mine", "models base", "models mine"}) {
    overlays.push_back({{"entry", name}, {"file", "own.toml"}, {"sha256", sha256(text)}});
  }
  EXPECT_EQ(json::parse(texts.at("overlays")), overlays);
  EXPECT_THAT(texts.at("catalog"), AllOf(HasSubstr("# models 'mine', of the overlay own.toml\n"),
                                         HasSubstr("# models 'llama-2-7b'\n")));
  EXPECT_THAT(texts.at("catalog") + texts.at("overlays"), Not(HasSubstr(folder().string())));
}

TEST_F(OverlaysTest, AReportSaysHowToMakeItAgain) {
  const std::string overlay = write("own.toml", file_text(memory + model));
  const std::string file = path("out.h5");
  ASSERT_EQ(scalesweep({"run", own_spec(), "-o", file, "--catalog-add", overlay, "--quiet"}).code,
            0);
  ASSERT_EQ(scalesweep({"report", file}).code, 0);
  const std::string html = content(path("out.html"));
  EXPECT_TRUE(contains(html, "scalesweep run spec.toml -o out.h5 --catalog-add own.toml"));
  EXPECT_FALSE(contains(html, folder().string())) << "names a folder of this machine";
}

TEST_F(OverlaysTest, MistakesAreToldWithTheirPlace) {
  const std::string spec = write("spec.toml", small_spec());
  const Said none = scalesweep({"check", spec, "--catalog-add", path("none.toml")});
  EXPECT_EQ(none.code, 66);
  EXPECT_THAT(none.err, HasSubstr("--catalog-add " + path("none.toml") +
                                  ": no such file or folder; give a .toml file of entries"));
  fs::create_directories(folder() / "empty");
  const Said empty = scalesweep({"check", spec, "--catalog-add", path("empty")});
  EXPECT_EQ(empty.code, 66);
  EXPECT_THAT(empty.err, HasSubstr("holds no .toml file"));
  const std::string taken = write("x.toml", file_text(entry("device.h100-sxm", "a100", "")));
  const Said said = scalesweep({"check", spec, "--catalog-add", taken});
  EXPECT_EQ(said.code, 65);
  EXPECT_THAT(said.err, AllOf(HasSubstr(taken + ":4:1: error: 'h100-sxm' is already the name or an "
                                                "alias of 'h100-sxm' ("),
                              HasSubstr("devices-nvidia.toml:"),
                              HasSubstr("give one of them another name, with like = ")));
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {entry("device.a", "a100", "clokc = 3\n"), "unknown key 'clokc' in [device.a]"},
           {entry("device.a", "HBM3", ""), "'HBM3' is one of memories ("},
           {entry("device.a", "a1000", ""), "no entry 'a1000' among devices"},
           {entry("device.a", "b", "") + entry("device.b", "a", ""),
            "which rests on it in turn"}}) {
    const Said wrong =
        scalesweep({"check", spec, "--catalog-add", write("x.toml", file_text(text))});
    EXPECT_EQ(wrong.code, 65);
    EXPECT_THAT(wrong.err, AllOf(HasSubstr(path("x.toml") + ":"), HasSubstr(words)));
  }
}

TEST_F(OverlaysTest, DiffTellsWhatAnOverlayAdds) {
  const std::string overlay = write("own.toml", file_text(memory + model));
  const Said said = scalesweep({"catalog", "diff", overlay});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("to " + overlay), HasSubstr("added  memories  mine"),
                              HasSubstr("like HBM3, 1 of 10 values its own"),
                              HasSubstr("like llama-2-7b, 1 of ")));
  const std::string next = write("next.toml", file_text(entry("memory.mine", "HBM3",
                                                              "capacity = \"30 GiB\"\n"
                                                              "cost = \"9 USD/GB\"\n")));
  const Said both = scalesweep({"catalog", "diff", overlay, next, "--format", "json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const json changes = json::parse(both.out).at("changes");
  ASSERT_EQ(changes.size(), 3U) << both.out;
  EXPECT_EQ(changes[0].at("key"), "capacity");
  EXPECT_EQ(changes[0].at("from"), "20 GiB");
  EXPECT_EQ(changes[0].at("to"), "30 GiB");
  EXPECT_EQ(changes[0].at("measure"), "data size");
  EXPECT_EQ(changes[0].at("from_si"), 20.0 * 0x1p30);
  EXPECT_EQ(changes[0].at("to_source"), "Own estimate");
  EXPECT_EQ(changes[1].at("key"), "cost");
  EXPECT_EQ(changes[1].at("to_known_as"), "assumed");
  EXPECT_EQ(changes[2].at("change"), "removed");
  EXPECT_EQ(changes[2].at("entry_kind"), "models");
  const Said text = scalesweep({"catalog", "diff", overlay, next});
  EXPECT_THAT(text.out, AllOf(HasSubstr("memories mine  capacity  20 GiB"), HasSubstr("+50 %"),
                              HasSubstr("Own estimate"), HasSubstr("removed  models")));
}

TEST_F(OverlaysTest, DiffTellsCatalogsAndStudiesApart) {
  fs::copy(nodes_folder(), folder() / "other");
  const std::string changed =
      replaced(content(folder() / "other" / "memory.toml"),
               "[memory.HBM3E]\npredecessor = \"HBM3\"", "[memory.HBM3F]\npredecessor = \"HBM3\"");
  write("other/memory.toml", replaced(changed, "like = \"HBM3E\"", "like = \"HBM3F\""));
  const Said said = scalesweep({"catalog", "diff", path("other"), "--format", "csv"});
  EXPECT_EQ(said.code, 65) << "entries of devices that name HBM3E";
  write("other/memory.toml", replaced(content(nodes_folder() / "memory.toml"), "24 GiB", "25 GiB"));
  const Said csv = scalesweep({"catalog", "diff", path("other"), "--format", "csv"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr(",memories,"));
  EXPECT_THAT(csv.out, HasSubstr(",capacity,data size,24 GiB,25 GiB,"));
  EXPECT_EQ(scalesweep({"catalog", "diff", nodes_folder().string()}).out.find("from "), 0U);
  EXPECT_THAT(scalesweep({"catalog", "diff", nodes_folder().string()}).out,
              HasSubstr("no entry and no value differs"));
  // Of a study, what it rests on.
  const std::string file = study();
  EXPECT_THAT(scalesweep({"catalog", "diff", file}).out,
              HasSubstr("no entry and no value differs"));
  const Said of_study = scalesweep({"catalog", "diff", file, path("other"), "--format", "csv"});
  EXPECT_EQ(of_study.code, 0) << of_study.err;
}

TEST_F(OverlaysTest, DiffRefusesWhatIsNone) {
  EXPECT_EQ(scalesweep({"catalog", "diff"}).code, 64);
  EXPECT_THAT(scalesweep({"catalog", "diff", "a", "b", "c"}).err,
              HasSubstr("catalog: diff takes one or two catalogs, overlays or studies"));
  const Said none = scalesweep({"catalog", "diff", path("none")});
  EXPECT_EQ(none.code, 66);
  EXPECT_THAT(none.err, HasSubstr("give a catalog folder, an overlay"));
  const Said wrong = scalesweep({"catalog", "diff", write("x.toml", file_text("[device.x]\n"))});
  EXPECT_EQ(wrong.code, 65);
}

TEST_F(OverlaysTest, ShowBeginsWithWhatMatters) {
  const auto begin = [](const std::string& name) {
    const Said said = scalesweep({"catalog", "show", name});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out.substr(0, said.out.find("\n  key "));
  };
  EXPECT_THAT(
      begin("h100-sxm"),
      AllOf(HasSubstr("bf16 989.4"), HasSubstr("80 GiB of HBM3 at 3.35 TB/s"),
            HasSubstr("NVLink4 at 450 GB/s among 8"), HasSubstr("700 W"), HasSubstr("27,500 USD"),
            HasSubstr("its kernels were measured; "), HasSubstr(" rows of training by fsdp, ")));
  EXPECT_THAT(begin("gaudi3"), HasSubstr("its best GEMMs are published; no rows of training; no "
                                         "rows of inference"));
  EXPECT_THAT(begin("llama-3-70b"),
              AllOf(HasSubstr("70.55 billion"), HasSubstr("80 of width 8192"),
                    HasSubstr("GFLOP forward"), HasSubstr("327.7 kB of cache")));
  EXPECT_THAT(begin("deepseek-v3"), HasSubstr("256, 8 of them for a token"));
  EXPECT_THAT(begin("HBM3"), HasSubstr("16 GiB at "));
  EXPECT_THAT(begin("NDR"), HasSubstr("NDRx1, NDRx2, NDRx4, NDRx8"));
  EXPECT_THAT(begin("NVLink4"), HasSubstr("450 GB/s each way"));
  EXPECT_THAT(begin("foundry/N5"), HasSubstr("density over N7"));
  EXPECT_THAT(begin("dlrm-dcnv2"), HasSubstr("billion in tables"));
  EXPECT_THAT(begin("flux-1-dev"), HasSubstr("images in "));
  const Said said = scalesweep({"catalog", "show", "h100", "--format", "json"});
  EXPECT_EQ(json::parse(said.out).at("summary").at(0).at("what"), "computes") << said.out;
}

// Of every entry of a kind that has a summary.
TEST_F(OverlaysTest, SummariesAreOfEveryEntry) {
  const catalog::Catalog& catalog = shipped_catalog();
  const std::string kinds = " devices logic memories scale_up scale_out models recommenders ";
  std::size_t shown = 0;
  for (const catalog::Entry& entry : catalog.entries()) {
    if (!contains(kinds, " " + std::string(catalog::name_of(entry.section)) + " ")) {
      continue;
    }
    const cli::Sheet sheet = cli::summary_sheet({&entry}, catalog);
    EXPECT_FALSE(sheet.rows.empty()) << entry.name;
    for (const std::vector<cli::Cell>& row : sheet.rows) {
      EXPECT_THAT(row.back().text, Not(ContainsRegex("(^|[^a-z])(nan|inf)([^a-z]|$)")))
          << entry.name;
    }
    ++shown;
  }
  EXPECT_GT(shown, 100U);
}

}  // namespace
}  // namespace scalesweep::test
