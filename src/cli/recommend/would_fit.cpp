#include "cli/recommend/would_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/recommend/answer/answer.hpp"
#include "cli/recommend/answer/figure_text.hpp"
#include "cli/recommend/devices/counts.hpp"
#include "cli/recommend/devices/numbers.hpp"
#include "cli/recommend/run_made.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "cli/recommend/spec/make_spec.hpp"
#include "cli/recommend/spec/software.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "technology/precision.hpp"

namespace scalesweep::cli {
namespace {

// Where nothing fits, up to so many times as many devices are tried.
constexpr std::int64_t most_times_more = 64;

class Trial {
 public:
  Trial(const Sources& sources, std::filesystem::path folder, const std::string& line,
        const Streams& streams)
      : sources_(sources), folder_(std::move(folder)), line_(line), streams_(streams) {}

  // What `of` says of the finished study; nothing where the question has no spec.
  template <typename Result>
  std::optional<Result> run(const Question& question, const std::vector<DeviceCounts>& counts,
                            const std::string& name,
                            Result (*of)(const store::StudyReader&, const study::Study&)) const {
    const std::filesystem::path file = folder_ / (name + ".toml");
    write_file_durably(file, make_spec(question, counts, sources_.catalog).text);
    Diagnostics ignored;
    std::optional<study::Study> study = study::Study::load(file, sources_.places, ignored);
    if (!study) {
      return std::nullopt;
    }
    const std::filesystem::path output = folder_ / (name + ".h5");
    run_study_into(*study, output, line_, streams_);
    return of(store::StudyReader(output), *study);
  }

 private:
  const Sources& sources_;
  std::filesystem::path folder_;
  const std::string& line_;
  const Streams& streams_;
};

std::int64_t fewest(const store::StudyReader& reader, const study::Study&) {
  return fewest_devices(reader);
}

// "4,096 tokens/s, 49 ms a token"; "" without an answer.
std::string best_text(const store::StudyReader& reader, const study::Study& study) {
  const Answers answers = find_answers(reader, study, {.most = 1});
  if (answers.answers.empty() || answers.answers.front().layouts.empty()) {
    return "";
  }
  const Layout& layout = answers.answers.front().layouts.front();
  return fmt::format("{} tokens/s at {} a token",
                     rate_text(figure(layout, analysis::FigureKind::throughput)),
                     time_text(figure(layout, analysis::FigureKind::time)));
}

bool has_sixteen_bits(const std::string& precision) {
  const auto format = technology::precision_from(precision);
  return format && technology::element_bytes(*format) >= 2.0;
}

// In fp8 where all devices multiply it, else weights alone.
std::string narrow_text(const Question& question, const Sources& sources, const Trial& trial) {
  std::vector<std::string> notes;
  Question narrow = question;
  narrow.curve = false;
  const std::vector<DeviceCounts> counts = counts_of(narrow, sources.catalog, notes);
  const Facts facts = facts_of(question, counts, sources.catalog);
  const Software software = software_of(question, facts, sources.catalog);
  if (question.aim == Aim::training ||
      !std::all_of(software.precisions.begin(), software.precisions.end(), has_sixteen_bits)) {
    return "";
  }
  const bool multiply =
      std::all_of(facts.known.begin(), facts.known.end(), [](const technology::Device& device) {
        return technology::matrix_peak(device, technology::Precision::fp8).si() > 0.0;
      });
  narrow.precisions = {multiply ? "fp8" : "w8a16"};
  const auto best = trial.run(narrow, counts, "narrow", best_text);
  return !best || best->empty() ? ""
                                : fmt::format("in {0} it fits: {1} (--precision {0})",
                                              narrow.precisions.front(), *best);
}

std::string fewest_text(const Question& question, const Trial& trial) {
  Question more = question;
  if (more.curve) {  // what has room for one request has a curve
    more.curve = false;
    more.concurrency = {1};
  }
  more.counts = more_devices(question.counts.front(), most_times_more);
  const auto found = trial.run(more, {{more.devices.front(), more.counts}}, "more", fewest);
  if (!found) {
    return "";
  }
  return *found == 0 ? fmt::format("up to {} devices do not suffice either", more.counts.back())
                     : fmt::format(
                           "{} devices suffice, of {} to {} by powers of two and three "
                           "times them",
                           *found, more.counts.front(), more.counts.back());
}

}  // namespace

std::string would_fit(const Question& question, const Sources& sources,
                      const std::filesystem::path& folder, const std::string& line,
                      const Streams& streams) {
  if (question.counts.size() != 1 || question.devices.size() != 1) {
    return "";
  }
  const Trial trial(sources, folder, line, streams);
  std::vector<std::string> texts = {narrow_text(question, sources, trial),
                                    fewest_text(question, trial)};
  std::erase(texts, "");
  return join(texts, "; ");
}

}  // namespace scalesweep::cli
