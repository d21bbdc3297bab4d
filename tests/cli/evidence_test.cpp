// What the catalog says of the evidence for each device, and what others measured of its GEMMs.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "cli_fixture.hpp"
#include "core/text.hpp"

namespace scalesweep::test {
namespace {

using Words = std::vector<std::string>;

const Words devices = {"a100-sxm-80gb", "h100-sxm", "h200-sxm", "h800-sxm", "h20",     "b200-sxm",
                       "gb200",         "b300-sxm", "gb300",    "rubin",    "mi250x",  "mi300x",
                       "mi325x",        "mi355x",   "tpu-v4",   "tpu-v5e",  "tpu-v5p", "tpu-v6e",
                       "trainium2",     "gaudi2",   "gaudi3",   "l40s",     "wse-3"};
const std::set<std::string> own_kernels = {"a100-sxm-80gb", "h100-sxm", "b200-sxm", "gb200"};
const std::set<std::string> published_gemms = {"mi300x", "mi325x", "mi355x", "gaudi2", "gaudi3"};

// Rows of cases by device and work, as the file of error bars has them, read line by line.
std::map<std::string, std::map<std::string, int>> rows_of_cases() {
  std::map<std::string, std::map<std::string, int>> rows;
  std::ifstream file(nodes_folder() / "uncertainties.toml");
  std::string device;
  std::string work;
  const std::regex assigned("^(\\w+) = \"?([^\"]*)\"?$");
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (line.starts_with("[")) {
      device.clear();
      work = "training";
    } else if (std::regex_match(line, found, assigned)) {
      device = found[1] == "device" ? found[2].str() : device;
      work = found[1] == "work" ? found[2].str() : work;
      if (found[1] == "rows" && !device.empty()) {
        rows[device][work] += std::stoi(found[2]);
      }
    }
  }
  return rows;
}

class Evidence : public CliTest {};

TEST_F(Evidence, OfEachDeviceIsWhatTheCatalogHas) {
  auto rows = rows_of_cases();
  ASSERT_GT(rows["h100-sxm"]["training"], 100);
  for (const std::string& device : devices) {
    const Said said = scalesweep({"catalog", "show", device});
    ASSERT_EQ(said.code, 0) << said.err;
    const std::size_t at = said.out.find("  evidence ");
    ASSERT_NE(at, std::string::npos) << device;
    const std::string words = said.out.substr(at, said.out.find("\n\n", at) - at);
    EXPECT_TRUE(contains(words, own_kernels.contains(device)       ? "its kernels were measured"
                                : published_gemms.contains(device) ? "its best GEMMs are published"
                                                                   : "none of its kernels was "
                                                                     "measured"))
        << device << words;
    for (const char* const work : {"training", "inference"}) {
      const int count = rows[device][work];
      EXPECT_TRUE(contains(words, count == 0 ? fmt::format("no rows of {}", work)
                                             : fmt::format("{} rows of {} by", count, work)))
          << device << words << count;
    }
  }
}

// The fastest GEMM that a search over shapes found on each device, in bf16: S. Bekman, Machine
// Learning Engineering, compute/accelerator/README.md at commit 744d01e (August 2026). Estimates
// are of GEMMs as models have them, and so not faster, or by little.
struct Best {
  const char* device;
  int m, n, k;
  double tera_flops;
};
const std::vector<Best> best_gemms = {
    {"gaudi2", 14336, 15360, 2048, 418.7},   {"a100-sxm-80gb", 1024, 10240, 5120, 271.2},
    {"gh200", 1024, 15360, 4096, 828.6},     {"a100-pcie-80gb", 2048, 5120, 6144, 252.9},
    {"h100-sxm", 2048, 2048, 13312, 794.5},  {"b300-sxm", 12288, 18432, 1024, 1769.0},
    {"b200-sxm", 1792, 16128, 3072, 1745.0}, {"gaudi3", 16384, 4096, 768, 1243.0},
    {"gb200", 4096, 9728, 2048, 1822.0},     {"mi355x", 12288, 8192, 8192, 1565.0},
    {"mi325x", 13312, 10240, 8192, 784.9},   {"mi300x", 10240, 15360, 8192, 668.4}};

TEST_F(Evidence, NoGemmIsMuchFasterThanTheFastestThatAnyoneFound) {
  std::string rows = "case,device,gpus,op,m,k,n,precision,time_s\n";
  for (const Best& best : best_gemms) {
    const double flop = 2.0 * best.m * best.n * best.k;
    rows += fmt::format("{},{},1,matmul,{},{},{},bf16,{}\n", best.device, best.device, best.m,
                        best.k, best.n, flop / best.tera_flops / 1e12);
    // As long as training has them.
    rows += fmt::format("{} long,{},1,matmul,8192,4096,28672,bf16,{}\n", best.device, best.device,
                        2.0 * 8192 * 4096 * 28672 / best.tera_flops / 1e12);
  }
  std::ofstream(path("best.csv")) << rows;
  const Said said =
      scalesweep({"validate", path("best.csv"), "--predictions", path("predictions.csv")});
  ASSERT_EQ(said.code, 0) << said.err;
  std::ifstream file(path("predictions.csv"));
  std::string line;
  std::getline(file, line);
  const auto names = split(line, ',');
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::size_t seen = 0;
  for (; std::getline(file, line); ++seen) {
    const auto cells = split(line, ',');
    const double ratio = std::stod(std::string(cells.at(column("predicted_time_s")))) /
                         std::stod(std::string(cells.at(column("time_s"))));
    EXPECT_GT(ratio, 0.92) << line;  // of best shapes the nearest is 0.95
    if (!contains(line, "long")) {
      EXPECT_LT(ratio, 1.18) << line;
    }
  }
  EXPECT_EQ(seen, 2 * best_gemms.size());
}

}  // namespace
}  // namespace scalesweep::test
