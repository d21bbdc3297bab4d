// Real requests: what is kept of them, and every mistake of their file at its line.
#include "space/requests/request_trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <random>

#include "core/hash.hpp"
#include "support/temporary_folder.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::HasSubstr;

ReducedTrace reduced(const std::string& text, const std::string& warnings = "") {
  Diagnostics diagnostics;
  const auto trace = reduce_trace("t.csv", text, {"a.toml", 6, 12}, diagnostics);
  EXPECT_EQ(diagnostics.text(), warnings);
  EXPECT_TRUE(trace.has_value());
  return trace.value_or(ReducedTrace{});
}

std::string refused_trace(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(reduce_trace("t.csv", text, {"a.toml", 6, 12}, diagnostics).has_value()) << text;
  return diagnostics.text();
}

TEST(RequestTrace, KeepsMeansRateAndLengthsTogether) {
  const std::string text =
      "output,arrival,prompt,user\n10,100,400,a\n10,101,400,b\n500,103,4000,a\n10,104,400,c\n";
  const ReducedTrace trace = reduced(text);
  ASSERT_EQ(trace.requests.size(), 2U);  // short ones with short outputs, and the long one
  EXPECT_DOUBLE_EQ(trace.requests[0].prompt, 400.0);
  EXPECT_DOUBLE_EQ(trace.requests[0].output, 10.0);
  EXPECT_DOUBLE_EQ(trace.requests[0].share, 0.75);
  EXPECT_DOUBLE_EQ(trace.requests[1].prompt, 4000.0);
  EXPECT_DOUBLE_EQ(trace.requests[1].output, 500.0);
  EXPECT_DOUBLE_EQ(trace.trace.arrival_rate, 3.0 / 4.0);
  // Times between arrivals 1, 2, 1: variance 2/9, mean 4/3.
  EXPECT_NEAR(trace.trace.burstiness, 2.0 / 9.0 / (16.0 / 9.0), 1e-12);
  EXPECT_EQ(trace.trace.dispersion, 0.0);
  EXPECT_EQ(trace.trace.requests, 4);
  EXPECT_EQ(trace.trace.sha256, sha256(text));
}

// Requests at the full hours of so many days, `most` of them at the tenth of each.
std::string days_of_requests(int hours, int most) {
  std::string text = "arrival,prompt,output\n";
  for (int hour = 0; hour < hours; ++hour) {
    for (int i = 0; i < (hour % 24 == 9 ? most : 1); ++i) {
      text += fmt::format("{},400,10\n", 3600 * hour);
    }
  }
  return text + fmt::format("{},400,10\n", 3600 * hours - 100);
}

TEST(RequestTrace, OfADayHasItsHours) {
  const RequestTrace trace = reduced(days_of_requests(48, 4)).trace;
  ASSERT_EQ(trace.hours.size(), 24U);
  EXPECT_DOUBLE_EQ(trace.hours[9], 1.0);
  EXPECT_DOUBLE_EQ(trace.hours[8], 0.25);
  EXPECT_DOUBLE_EQ(trace.hours[23], 3.0 / 8.0);  // the last request of all
  EXPECT_DOUBLE_EQ(trace.busiest_rate, 4.0 / 3600.0);
  // The third day is none: its hours are left out.
  EXPECT_DOUBLE_EQ(reduced(days_of_requests(60, 4)).trace.hours[11], 0.25);
  EXPECT_TRUE(reduced(days_of_requests(23, 4)).trace.hours.empty());
}

std::string random_trace(std::mt19937_64& random, int count, double wave) {
  std::string text = "arrival,prompt,output\n";
  std::exponential_distribution<double> gap(1.0);
  std::lognormal_distribution<double> prompt(6.0, 1.5), output(5.0, 1.0);
  double time_s = 0.0;
  for (int i = 0; i < count; ++i) {
    time_s += gap(random) * (1.0 + wave * std::sin(0.01 * time_s));
    text += fmt::format("{},{},{}\n", time_s, 1.0 + std::floor(prompt(random)),
                        1.0 + std::floor(output(random)));
  }
  return text;
}

TEST(RequestTrace, HasFewClassesWithTheMeansOfAll) {
  std::mt19937_64 random(3);
  const std::string text = random_trace(random, 5000, 0.0);
  const ReducedTrace trace = reduced(text);
  EXPECT_GT(trace.requests.size(), 20U);
  EXPECT_LE(trace.requests.size(), 64U);
  double share = 0.0, prompt = 0.0, output = 0.0;
  for (const RequestClass& one : trace.requests) {
    share += one.share;
    prompt += one.share * one.prompt;
    output += one.share * one.output;
  }
  EXPECT_NEAR(share, 1.0, 1e-12);
  double sums[2] = {};
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(','), second = line.rfind(',');
    sums[0] += std::stod(line.substr(first + 1, second - first - 1));
    sums[1] += std::stod(line.substr(second + 1));
  }
  EXPECT_NEAR(prompt, sums[0] / 5000.0, 1e-6);
  EXPECT_NEAR(output, sums[1] / 5000.0, 1e-6);
  EXPECT_NEAR(trace.trace.arrival_rate, 1.0, 0.05);
  EXPECT_NEAR(trace.trace.burstiness, 1.0, 0.1);
  EXPECT_NEAR(trace.trace.dispersion, 1.0, 0.4);
}

TEST(RequestTrace, SaysWhereArrivalsComeInWaves) {
  std::mt19937_64 random(3);
  Diagnostics diagnostics;
  const auto trace =
      reduce_trace("t.csv", random_trace(random, 5000, 0.9), {"a.toml", 6, 12}, diagnostics);
  ASSERT_TRUE(trace);
  EXPECT_GT(trace->trace.dispersion, 2.0 * trace->trace.burstiness);
  EXPECT_EQ(
      diagnostics.text(),
      fmt::format("a.toml:6:12: warning: requests of 't.csv' come in waves: the times between "
                  "them have the burstiness {:.3g} and their numbers, 32 in the mean, {:.3g}; "
                  "percentiles are too short for it, write burstiness = {:.3g} for requests "
                  "that stay as long\n",
                  trace->trace.burstiness, trace->trace.dispersion, trace->trace.dispersion));
}

TEST(RequestTrace, NamesEveryMistakeAtItsLine) {
  EXPECT_EQ(refused_trace("arrival,promt,output\n1,2,3\n"),
            "t.csv:1:1: error: there is no column 'prompt'; did you mean 'promt'?; a trace of "
            "requests has the columns arrival (in seconds), prompt and output (in tokens)\n");
  EXPECT_EQ(refused_trace("arrival,prompt,output\n1,2,3\n2,many,3\n3,0,0.5\n2.5,1,1\n4,1\n"),
            "t.csv:3:2: error: 'many' in column prompt is no number\n"
            "t.csv:4:2: error: 0 in column prompt is below 1\n"
            "t.csv:4:3: error: 0.5 in column output is below 1\n"
            "t.csv:5:1: error: 2.5 is before the arrival above, 3; sort the rows by arrival\n"
            "t.csv:6:1: error: 2 fields where the header names 3 columns\n");
  EXPECT_EQ(refused_trace("arrival,prompt,output\n1,2,3\n"),
            "t.csv:1:1: error: 1 requests have no rate; a trace has at least two\n");
  EXPECT_EQ(refused_trace("arrival,prompt,output\n1,2,3\n1,2,3\n"),
            "t.csv:1:1: error: all requests arrive at once, which is no rate; write kind = "
            "\"inference\" for a batch that starts together\n");
  EXPECT_THAT(refused_trace(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refused_trace("arrival,prompt,output\ninf,2,3\nnan,2,3\n"),
              HasSubstr("t.csv:3:1: error: 'nan' in column arrival is no number\n"));
}

TEST(RequestTrace, CountsMistakesBeyondTwenty) {
  std::string text = "arrival,prompt,output\n";
  for (int i = 0; i < 25; ++i) {
    text += fmt::format("{},x,1\n", i);
  }
  const std::string errors = refused_trace(text);
  EXPECT_THAT(errors, HasSubstr("t.csv:21:2: error: 'x' in column prompt is no number\n"));
  EXPECT_THAT(errors, HasSubstr("t.csv:26:2: error: and 5 more mistakes up to this line\n"));
}

std::string spec_with(const std::string& requests) {
  return "schema = 1\ntitle = \"service\"\n[workload]\nkind = \"serving\"\nmodel = "
         "\"llama-3-70b\"\nrequests = " +
         requests + "\n[system]\naccelerators = 8\ndevice = \"h100-sxm\"\n[strategy]\n";
}

TEST(RequestTrace, IsReadFromTheFolderOfTheSpec) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << "arrival,prompt,output\n0,400,10\n1,400,10\n3,400,10\n";
  Diagnostics diagnostics;
  const auto spec = read_spec((folder / "a.toml").string(), spec_with("\"t.csv\""), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  ASSERT_TRUE(spec && spec->trace);
  EXPECT_EQ(spec->trace->file, (folder / "t.csv").string());
  EXPECT_NEAR(spec->trace->arrival_rate, 2.0 / 3.0, 1e-12);
  ASSERT_EQ(spec->requests.size(), 1U);
  EXPECT_EQ(spec->requests[0].prompt, 400.0);
}

TEST(RequestTrace, ThatIsNotThereIsAMistakeOfTheSpec) {
  EXPECT_EQ(refused(spec_with("\"nowhere.csv\"")),
            "a.toml:6:12: error: nowhere.csv: No such file or directory; a trace of requests is a "
            "CSV file, named from the folder of the spec\n");
  const test::TemporaryFolder folder;
  const std::string file = (folder / "short.csv").string();
  std::ofstream(file) << days_of_requests(3, 4);
  EXPECT_THAT(refused(spec_with("\"" + file + "\"\nload_curve = \"trace\"")),
              HasSubstr("short.csv' are less than a day; take a longer trace, or write how many "
                        "arrive in equal parts of the day"));
  EXPECT_THAT(refused(spec_with("[\"a.csv\", \"b.csv\"]")),
              HasSubstr("of real requests name one file, requests = \"trace.csv\"\n"));
}

std::vector<ReusePoint> reuse_of(const std::string& text) {
  return reduced(text).trace.reuse;
}

void expect_same(const std::vector<ReusePoint>& one, const std::vector<ReusePoint>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].tokens, other[i].tokens);
    EXPECT_EQ(one[i].share, other[i].share);
  }
}

// A session's next turn begins with what was said: what prefixes say at length.
TEST(RequestTrace, OfSessionsSharesWhatWasSaid) {
  const std::vector<ReusePoint> reuse = reuse_of(
      "arrival,prompt,output,session\n0,300,50,a\n1,200,10,\n2,400,20,b\n5,500,60,a\n"
      "9,560,10,a\n");
  ASSERT_FALSE(reuse.empty());
  EXPECT_NEAR(reuse.back().share, (350.0 + 560.0) / 1960.0, 1e-12);
  expect_same(reuse, reuse_of("arrival,prompt,output,prefix,prefix_tokens\n0,300,50,a,0\n"
                              "1,200,10,,\n2,400,20,b,0\n5,500,60,a,350\n9,560,10,a,560\n"));
}

TEST(RequestTrace, OfSessionsBehindAPrefixSharesBoth) {
  expect_same(reuse_of("arrival,prompt,output,prefix,prefix_tokens,session\n0,300,50,h,100,a\n"
                       "1,400,10,h,100,b\n2,500,20,h,100,a\n"),
              reuse_of("arrival,prompt,output,prefix,prefix_tokens\n0,300,50,h/a,100/100\n"
                       "1,400,10,h/b,100/100\n2,500,20,h/a,100/350\n"));
}

std::string json_lines(const std::string& text) {
  Diagnostics diagnostics;
  const auto trace = reduce_trace("t.jsonl", text, {"a.toml", 6, 12}, diagnostics);
  EXPECT_EQ(trace.has_value(), !diagnostics.has_errors());
  return diagnostics.text();
}

// As Mooncake publishes them: milliseconds, and an id for each 512 tokens.
TEST(RequestTrace, OfJsonLinesHasTheirBlocks) {
  const std::string text =
      R"({"timestamp": 0, "input_length": 1200, "output_length": 50, "hash_ids": [0, 1, 2]}
{"timestamp": 2000, "input_length": 700, "output_length": 10, "hash_ids": [0, 3]}

{"timestamp": 3000, "input_length": 1500, "output_length": 20, "hash_ids": [0, 1, 4]}
)";
  Diagnostics diagnostics;
  const auto trace = reduce_trace("t.jsonl", text, {"a.toml", 6, 12}, diagnostics);
  ASSERT_TRUE(trace.has_value()) << diagnostics.text();
  EXPECT_EQ(trace->trace.requests, 3);
  EXPECT_NEAR(trace->trace.arrival_rate, 2.0 / 3.0, 1e-12);
  ASSERT_FALSE(trace->trace.reuse.empty());
  EXPECT_NEAR(trace->trace.reuse.back().share, (512.0 + 1024.0) / 3400.0, 1e-12);
  const std::vector<std::pair<const char*, const char*>> mistakes = {
      {R"({"timestamp": 0, "input_length": 5, "output_length": 5)", "no JSON: "},
      {"[1]", "t.jsonl:1:1: error: this is no object, as a line of a trace is\n"},
      {R"({"input_length": 5, "output_length": 5})",
       "there is no 'timestamp'; a line of a trace has timestamp (in milliseconds), input_length "
       "and output_length (in tokens)\n"},
      {R"({"timestamp": "x", "input_length": 5, "output_length": 5})",
       "'timestamp' is no number\n"},
      {R"({"timestamp": 0, "input_length": 0, "output_length": 5})",
       "'input_length' is 0, below 1\n"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": 5, "hash_ids": [-1]})",
       "'hash_ids' is no list of whole numbers from 0 on\n"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": 5, "hash_ids": [1, 2]})",
       "2 hash_ids are more than the blocks of 512 tokens of a prompt of 5\n"},
      {R"({"session_id": "a", "input_length": 5, "output_length": 5})",
       "turns of a 'session_id' say what they add, and not when those before them were answered; "
       "write a CSV file with the columns arrival, prompt, output and session, or the law of its "
       "sessions, for example turns = 8\n"},
      {"{\"timestamp\": 5, \"input_length\": 5, \"output_length\": 5}\n"
       "{\"timestamp\": 4, \"input_length\": 5, \"output_length\": 5}",
       "t.jsonl:2:1: error: its timestamp is before that of the line above; sort the lines by "
       "timestamp\n"},
  };
  for (const auto& [line, message] : mistakes) {
    EXPECT_THAT(json_lines(line), HasSubstr(message)) << line;
  }
}

}  // namespace
}  // namespace scalesweep::space
