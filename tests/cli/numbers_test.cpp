// Numbers of command lines: one reader for all options of all commands, in decimal.
#include "cli/options/values/numbers.hpp"

#include <algorithm>
#include <array>

#include "cli/options/command.hpp"
#include "cli/options/values/run_values.hpp"
#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using cli::OptionFacts;
using cli::OptionValue;

struct NumberOption {
  std::string command;
  OptionFacts facts;
};

// Options and operands of all commands that take a value.
std::vector<NumberOption> options_of_all_commands() {
  std::vector<NumberOption> found;
  for (const cli::CommandGroup& group : cli::working_commands("scalesweep")) {
    for (const cli::Command& command : group.commands) {
      for (const OptionFacts& facts : command.options()) {
        if (!facts.names.empty() && facts.value != OptionValue::nothing) {
          found.push_back({command.name(), facts});
        }
      }
    }
  }
  return found;
}

std::string refused(const NumberOption& option, const std::string& word) {
  const Said said = scalesweep({option.command, option.facts.names.back() + "=" + word});
  EXPECT_EQ(said.code, 64) << option.command << " " << option.facts.names.back() << " " << word;
  return said.err;
}

TEST(Numbers, WholeOnesAreDecimalInEveryOption) {
  std::size_t checked = 0;
  for (const NumberOption& option : options_of_all_commands()) {
    if (option.facts.value != OptionValue::whole_number) {
      continue;
    }
    const std::string name = option.facts.names.back();
    EXPECT_TRUE(contains(refused(option, "010"), name + ": 010 has a zero in front; write 10"))
        << option.command << refused(option, "010");
    EXPECT_TRUE(contains(refused(option, "0x10"), "0x10 is no decimal number; write 16"))
        << option.command << refused(option, "0x10");
    EXPECT_TRUE(
        contains(refused(option, "9223372036854775808"), name + ": 9223372036854775808 is "))
        << option.command << refused(option, "9223372036854775808") << "as it was typed";
    for (const char* word : {"ten", "1.5", "+5", "5 "}) {
      EXPECT_TRUE(
          contains(refused(option, word), std::string("'") + word + "' is not a whole number"))
          << option.command << refused(option, word);
    }
    ++checked;
  }
  EXPECT_GE(checked, 25U) << "the tree of commands is walked";
}

TEST(Numbers, RealOnesAreDecimalToo) {
  std::size_t checked = 0;
  for (const NumberOption& option : options_of_all_commands()) {
    if (option.facts.value == OptionValue::real_number) {
      EXPECT_TRUE(contains(refused(option, "010"), "has a zero in front")) << option.command;
      EXPECT_TRUE(contains(refused(option, "0x1p3"), "is no decimal number")) << option.command;
      EXPECT_TRUE(contains(refused(option, "inf"), "is not a number")) << option.command;
      ++checked;
    }
  }
  EXPECT_GE(checked, 3U);
}

// An option whose value help calls a number has the reader; these are texts with numbers inside,
// which have messages of their own.
TEST(Numbers, NoOptionThatHelpCallsANumberHasAnotherReader) {
  const std::array<std::string, 8> number_types = {"N", "N,...", "NUMBER", "ID",
                                                   "K", "S",     "SHARE",  "SHARES"};
  for (const NumberOption& option : options_of_all_commands()) {
    const bool says_number = std::find(number_types.begin(), number_types.end(),
                                       option.facts.type) != number_types.end();
    if (says_number) {
      EXPECT_NE(option.facts.value, OptionValue::text)
          << option.command << " " << option.facts.names.back();
    }
  }
}

TEST(Numbers, ThatStandInTextsHaveNoZeroInFrontEither) {
  const auto said = [](std::vector<std::string> words) { return scalesweep(words).err; };
  const std::vector<std::string> question = {"recommend", "--model",   "llama-3-8b", "--device",
                                             "h100",      "--devices", "8",          "--train"};
  const auto asked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), question.begin(), question.end());
    return said(more);
  };
  EXPECT_TRUE(contains(asked({"--tokens", "04 M"}), "--tokens 04 M: it has a zero in front"));
  EXPECT_TRUE(contains(asked({"--run-tokens", "0x10"}), "no number of tokens"));
}

TEST(Numbers, OfShardsMayBePaddedAsSeqWritesThem) {
  EXPECT_EQ(cli::parse_shard("08/16").number, 8);
  EXPECT_EQ(cli::parse_shard("010/016").count, 16);
}

TEST(Numbers, CommasThatWereMeantAsMarksOfThousandsAreTold) {
  const auto problem = [](const std::vector<std::string>& list, std::size_t at) {
    return cli::read_whole_number(list, at, 0, 1'000'000).problem;
  };
  EXPECT_EQ(problem({"1", "024"}, 0), "");
  EXPECT_EQ(problem({"1", "024"}, 1),
            "024 has a zero in front: commas make a list; if one number is meant, write 1024");
  EXPECT_TRUE(contains(problem({"8", "1", "000", "000"}, 2), "write 1000000"));
  EXPECT_EQ(problem({"8", "024"}, 1).find("write 24"), std::string::npos);
  EXPECT_EQ(problem({"1024", "064"}, 1), "064 has a zero in front; write 64");
  EXPECT_EQ(problem({"8", "064", "0064"}, 2), "0064 has a zero in front; write 64");
  EXPECT_EQ(problem({"000"}, 0), "000 has a zero in front; write 0");
  EXPECT_EQ(problem({"-07"}, 0), "-07 has a zero in front; write -7");
  EXPECT_EQ(problem({"-7"}, 0), "-7 is too small; at least 0");
  EXPECT_EQ(cli::read_whole_number("64").value, 64);
  EXPECT_EQ(cli::read_whole_number("0").value, 0);
  EXPECT_EQ(cli::read_real_number("0.5").value, 0.5);
}

TEST(Numbers, OfDevicesAreReadAsTheyAreMeant) {
  const auto said = [](const std::string& devices, const std::string& aim) {
    std::vector<std::string> words = {"recommend", "--model",   "llama-3-8b", "--device",
                                      "h100",      "--devices", devices,      aim};
    if (aim == "--serve") {
      words.insert(words.end(), {"--prompt", "100", "--output-tokens", "100"});
    }
    return scalesweep(words);
  };
  EXPECT_TRUE(contains(said("1,024", "--train").err, "write 1024"));
  for (const char* devices : {"0", "8,0"}) {
    for (const char* aim : {"--train", "--serve"}) {
      const Said refused = said(devices, aim);
      EXPECT_EQ(refused.code, 65) << devices << aim;
      EXPECT_TRUE(contains(refused.err, std::string("--devices ")) &&
                  contains(refused.err, "accelerators must be between 1 and 1,000,000,000, not 0"))
          << refused.err;
    }
  }
}

}  // namespace
}  // namespace scalesweep::test
