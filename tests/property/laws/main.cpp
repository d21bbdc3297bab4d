// Laws over studies that are drawn at random, of all kinds of work:
//
//   laws [--studies N] [--seed S] [--law REGEX] [--kind NAME] [--show N]
//   laws --write FOLDER [--title TEXT] [--studies N] [--seed S] [--kind NAME]
//
// Study i is that of seed S + i, whatever else is asked: `--studies 1 --seed X` does one again.
// Prints what was asked by law and kind, and the smallest spec of what does not hold. The exit code
// is 1 where something does not. With --write the specs are written and nothing is asked; the title
// is one as TOML has it between quotes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <regex>

#include "better_catalog.hpp"
#include "law.hpp"
#include "smallest.hpp"
#include "support/shipped_catalog.hpp"
#include "support/small_study.hpp"

namespace scalesweep::laws {
namespace {

struct Arguments {
  std::int64_t studies = 200;
  std::uint64_t seed = 1;
  std::regex law{""};
  std::string kind;
  int show = 2;                  // specs of each law and kind
  std::filesystem::path folder;  // "": nothing is written
  std::string title;
};

Arguments read(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = words[i];
    const std::string value = words[i + 1];
    if (option == "--studies") {
      arguments.studies = std::stoll(value);
    } else if (option == "--seed") {
      arguments.seed = std::stoull(value);
    } else if (option == "--law") {
      arguments.law = std::regex(value);
    } else if (option == "--kind") {
      arguments.kind = value;
    } else if (option == "--write") {
      arguments.folder = value;
    } else if (option == "--title") {
      arguments.title = value;
    } else if (option == "--show") {
      arguments.show = std::stoi(value);
    } else {
      throw std::invalid_argument("unknown option " + option);
    }
  }
  return arguments;
}

struct Tally {
  std::int64_t studies = 0;  // that had something to compare
  std::int64_t cases = 0;
  std::int64_t broken_studies = 0;
  std::int64_t broken = 0;
  std::int64_t known_studies = 0;  // broken no more than is known
  double worst = 0.0;
};
using Tallies = std::map<std::pair<std::string, WorkloadKind>, Tally>;

void show(const Law& law, const Subject& subject, const Finding& finding, std::uint64_t seed) {
  const Subject small = smallest(law, subject, finding.worst);
  const Finding again = law.check(law, small);
  fmt::print("\n{} does not hold, seed {}: by {:.4g}, {} of {}\n# {}\n{}\n", law.name, seed,
             again.worst, finding.broken, finding.cases, again.what, test::text_of(small.values));
  std::fflush(stdout);
}

// Whether the law is asked of this study.
bool is_asked(const Law& law, std::uint64_t seed) {
  return test::bytes_of_seed(seed + 1000003 * law.row, 1).front() % law.one_of == 0;
}

bool is_known(const Law& law, const Subject& subject, const Finding& finding) {
  const auto exceptions = known_exceptions();
  return std::any_of(exceptions.begin(), exceptions.end(), [&](const Known& known) {
    return law.name.starts_with(known.law) && subject.kind == known.kind &&
           finding.worst <= known.at_most;
  });
}

void ask(const Arguments& arguments, const std::vector<Law>& laws, const Subject& subject,
         std::uint64_t seed, Tallies& tallies) {
  for (const Law& law : laws) {
    if (!std::regex_search(law.name, arguments.law) || !is_asked(law, seed)) {
      continue;
    }
    const Finding finding = law.check(law, subject);
    Tally& tally = tallies[{law.name, subject.kind}];
    tally.studies += finding.cases > 0 ? 1 : 0;
    tally.cases += finding.cases;
    tally.worst = std::max(tally.worst, finding.worst);
    if (finding.broken > 0 && is_known(law, subject, finding)) {
      ++tally.known_studies;
    } else if (finding.broken > 0) {
      tally.broken += finding.broken;
      if (tally.broken_studies++ < arguments.show) {
        show(law, subject, finding, seed);
      }
    }
  }
}

void print(const Tallies& tallies) {
  fmt::print("\n{:<40} {:<24} {:>8} {:>11} {:>8} {:>8} {:>8} {:>9}\n", "law", "kind", "studies",
             "compared", "known", "broken", "cases", "worst");
  for (const auto& [of, tally] : tallies) {
    if (tally.cases == 0) {
      continue;
    }
    fmt::print("{:<40} {:<24} {:>8} {:>11} {:>8} {:>8} {:>8} {:>9.3g}\n", of.first,
               parallel::name_of(of.second), tally.studies, tally.cases, tally.known_studies,
               tally.broken_studies, tally.broken, tally.worst);
  }
}

std::optional<Subject> drawn(WorkloadKind kind, std::uint64_t seed,
                             const test::SpecGenerator& generator,
                             const std::shared_ptr<const catalog::Catalog>& catalog) {
  const std::vector<std::uint8_t> bytes = test::bytes_of_seed(seed, 1024);
  test::Choices choices(bytes);
  const auto is_right = [&](const SpecValues& values) {
    const auto study = study_of(values, catalog);
    return study && study->space().size() >= 1 && study->space().size() <= most_points(kind);
  };
  auto values = generator.right_spec(kind, choices, is_right);
  return values ? subject_of(kind, std::move(*values), catalog) : std::nullopt;
}

void write(const Arguments& arguments, Subject subject, std::uint64_t seed) {
  if (!arguments.title.empty()) {
    subject.values["title"] = fmt::format("\"{}\"", arguments.title);
  }
  test::write_text(
      arguments.folder / fmt::format("{}-{}.toml", parallel::name_of(subject.kind), seed),
      test::text_of(subject.values));
}

int run(const Arguments& arguments) {
  const auto shipped = std::make_shared<const catalog::Catalog>(test::shipped_catalog());
  const auto catalog = arguments.folder.empty() ? better_catalog() : shipped;
  const test::SpecGenerator generator(shipped);
  std::vector<Law> laws = row_laws();
  for (const std::vector<Law>& more : {search_laws(), change_laws()}) {
    laws.insert(laws.end(), more.begin(), more.end());
  }
  Tallies tallies;
  std::int64_t points = 0;
  std::array<std::int64_t, test::kind_count> studies = {};
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < arguments.studies; ++i) {
    const std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(i);
    const auto kind = static_cast<WorkloadKind>(seed % test::kind_count);
    if (!arguments.kind.empty() && arguments.kind != parallel::name_of(kind)) {
      continue;
    }
    const auto subject = drawn(kind, seed, generator, catalog);
    if (!subject) {
      fmt::print("seed {}: no {} study\n", seed, parallel::name_of(kind));
      continue;
    }
    if (!arguments.folder.empty()) {
      write(arguments, *subject, seed);
      continue;
    }
    ++studies[static_cast<std::size_t>(kind)];
    points += static_cast<std::int64_t>(subject->rows->size());
    ask(arguments, laws, *subject, seed, tallies);
  }
  if (!arguments.folder.empty()) {
    return 0;
  }
  print(tallies);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("\nseeds {} to {}: {} studies, {} points, {:.0f} s\n", arguments.seed,
             arguments.seed + static_cast<std::uint64_t>(arguments.studies) - 1,
             fmt::join(studies, " + "), points, seconds.count());
  return std::any_of(tallies.begin(), tallies.end(),
                     [](const auto& tally) { return tally.second.broken > 0; })
             ? 1
             : 0;
}

}  // namespace
}  // namespace scalesweep::laws

int main(int count, char** words) {
  try {
    return scalesweep::laws::run(scalesweep::laws::read(count, words));
  } catch (const std::exception& failure) {
    fmt::print(stderr, "laws: {}\n", failure.what());
    return 2;
  }
}
