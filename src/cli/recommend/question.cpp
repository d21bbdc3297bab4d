#include "cli/recommend/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/options/values/numbers.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "workload/serving/request_latency.hpp"

namespace scalesweep::cli {
namespace {

std::string short_name(workload::RequestTime time) {
  return time == workload::RequestTime::first_token ? "--ttft" : "--tpot";
}

bool is_of_tokens(const LatencyLimit& limit) {
  return limit.option.starts_with(short_name(workload::RequestTime::output_token));
}

// What says something of sessions beside their turns.
std::string session_option(const Question& question) {
  return question.turn_tokens           ? "--turn-tokens"
         : question.shared_prompt       ? "--shared-prompt"
         : !question.think_time.empty() ? "--think-time"
         : !question.host_cache.empty() ? "--host-cache"
                                        : "";
}

std::string foreign_key(const Question& question) {
  const bool trains = question.aim == Aim::training;
  const auto foreign =
      std::find_if(question.keys.begin(), question.keys.end(), [&](const KeyOption& one) {
        return !one.words().empty() && !(trains ? one.trains : one.serves);
      });
  return foreign == question.keys.end() ? "" : foreign->option;
}

// What belongs to the other kind of question.
std::string foreign_option(const Question& question) {
  const auto has_limit =
      std::find_if(question.limits.begin(), question.limits.end(),
                   [](const LatencyLimit& limit) { return !limit.value.empty(); });
  if (question.aim == Aim::serving) {
    return question.sequence       ? "--sequence"
           : question.global_batch ? "--global-batch"
           : question.batch_tokens ? "--tokens"
           : question.run_tokens   ? "--run-tokens"
                                   : foreign_key(question);
  }
  return !question.prompts.empty()            ? "--prompt"
         : !question.outputs.empty()          ? "--output-tokens"
         : !question.shares.empty()           ? "--share"
         : question.turns                     ? "--turns"
         : !session_option(question).empty()  ? session_option(question)
         : !question.request_rate.empty()     ? "--request-rate"
         : !question.concurrency.empty()      ? "--concurrency"
         : question.curve                     ? "--curve"
         : !question.figure.empty()           ? "--figure"
         : !question.measured.empty()         ? "--measured"
         : !question.caches.empty()           ? "--cache"
         : has_limit != question.limits.end() ? has_limit->option
                                              : foreign_key(question);
}

// Of a question for a curve, or for what belongs to one.
std::string problem_of_curve(const Question& question) {
  if (!question.curve) {
    const std::string option = !question.figure.empty()     ? "--figure"
                               : !question.measured.empty() ? "--measured"
                                                            : "";
    return option.empty() ? "" : option + " goes with a curve; add --curve, or leave it out";
  }
  if (!question.request_rate.empty()) {
    return "--curve has all loads and --request-rate is one of them; give one of the two";
  }
  for (const LatencyLimit& limit : question.limits) {
    if (limit.value.empty()) {
      continue;
    }
    if (is_of_tokens(limit)) {
      return fmt::format(
          "--curve has every time per token and {} limits it; leave --curve out for the best "
          "layout within the limit, or {} for the curve",
          limit.option, limit.option);
    }
    if (!limit.mean_option.empty()) {
      return fmt::format("{}: no percentiles are known with --curve; limit the mean with {}",
                         limit.option, limit.mean_option);
    }
  }
  if (*std::max_element(question.outputs.begin(), question.outputs.end()) < 2) {
    return "--curve is over the time of each token after the first, and --output-tokens 1 has "
           "none; give 2 or more";
  }
  if (!question.measured.empty() && question.figure.empty()) {
    return "--measured is drawn beside the curve; add --figure FILE.svg";
  }
  return question.figure.empty() || question.figure.ends_with(".svg")
             ? ""
             : fmt::format("--figure {}: it is drawn as SVG; name it FILE.svg", question.figure);
}

// Of requests that follow each other.
std::string problem_of_loop(const Question& question) {
  if (question.concurrency.empty()) {
    return "";
  }
  if (!question.request_rate.empty()) {
    return "--request-rate and --concurrency both say how many requests there are; give one of "
           "them";
  }
  for (const std::int64_t open : question.concurrency) {
    if (open < 1) {
      return fmt::format("--concurrency {}: at least 1 request must be in flight", open);
    }
  }
  for (const LatencyLimit& limit : question.limits) {
    if (!limit.value.empty() && !limit.mean_option.empty()) {
      return fmt::format(
          "{}: no percentiles are known with --concurrency; limit the mean with {}, or give "
          "--request-rate in its place",
          limit.option, limit.mean_option);
    }
  }
  return "";
}

std::string problem_of_sessions(const Question& question) {
  const std::string option = session_option(question);
  if (!question.turns) {
    return option.empty() ? ""
                          : fmt::format(
                                "{} is of sessions of several turns; say how many, for "
                                "example --turns 8",
                                option);
  }
  if (question.prompts.size() > 1) {
    return fmt::format(
        "--turns is of one kind of session and --prompt has {} lengths; give one, that of the "
        "first turn",
        question.prompts.size());
  }
  if (!question.turn_tokens) {
    return "--turns needs --turn-tokens: what a user or a tool adds before each turn but the first";
  }
  return question.shared_prompt.value_or(0) <= question.prompts.front()
             ? ""
             : fmt::format(
                   "--shared-prompt {} is more than the first prompt, whose beginning it is; raise "
                   "--prompt {} or lower it",
                   *question.shared_prompt, question.prompts.front());
}

std::string problem_of_requests(const Question& question) {
  if (question.prompts.empty() || question.outputs.empty()) {
    return fmt::format(
        "{} is missing; say how long requests are, for example --prompt 4000 "
        "--output-tokens 1000",
        question.prompts.empty() ? "--prompt" : "--output-tokens");
  }
  if (question.prompts.size() != question.outputs.size()) {
    return fmt::format(
        "--prompt has {} lengths and --output-tokens {}; give one of each for every "
        "kind of request, for example --prompt 500,4000 --output-tokens 250,500",
        question.prompts.size(), question.outputs.size());
  }
  if (!question.shares.empty() && question.shares.size() != question.prompts.size()) {
    return fmt::format("--share has {} values for {} kinds of requests; give one for each",
                       question.shares.size(), question.prompts.size());
  }
  return "";
}

}  // namespace

std::vector<LatencyLimit> latency_limits() {
  std::vector<LatencyLimit> limits;
  for (std::size_t i = 0; i < workload::request_times.size(); ++i) {
    const auto time = static_cast<workload::RequestTime>(i);
    const std::string key(workload::request_times[i].name);
    limits.push_back({key, short_name(time), ""});
    for (const workload::PercentileWords& percentile : workload::percentiles) {
      limits.push_back({fmt::format("{}_{}", key, percentile.name),
                        fmt::format("{}-{}", short_name(time), percentile.name), "",
                        short_name(time)});
    }
  }
  return limits;
}

std::vector<std::string> KeyOption::words() const {
  std::vector<std::string> words;
  std::visit(
      [&](const auto& list) {
        for (const auto& value : list) {
          words.push_back(fmt::format("{}", value));
        }
      },
      values);
  return words;
}

std::vector<KeyOption> key_options() {
  using Counts = std::vector<std::int64_t>;
  using Shares = std::vector<double>;
  return {
      {.key = "prefix_hits",
       .option = "--prefix-hits",
       .type = "SHARE",
       .description = "Serving: part of the prompt that device memory holds already, '0.5' "
                      "(default: none)",
       .serves = true,
       .values = Shares()},
      {.key = "draft",
       .option = "--draft",
       .type = "N",
       .description = "Serving: tokens that a draft proposes for each iteration; of several with "
                      "commas the best is told (default: none)",
       .serves = true,
       .values = Counts()},
      {.key = "acceptance",
       .option = "--acceptance",
       .type = "SHARE",
       .description = "Serving: probability that a token of a draft is kept, '0.8'",
       .serves = true,
       .values = Shares()},
      {.key = "draft_model",
       .option = "--draft-model",
       .type = "NAME",
       .description = "Serving: what proposes it: a model of the catalog, mtp or eagle",
       .serves = true},
      {.key = "adapters",
       .option = "--adapters",
       .type = "N",
       .description = "Serving: adapters of low rank (LoRA) in memory, of which each request uses "
                      "one (default: none)",
       .serves = true,
       .values = Counts()},
      {.key = "adapter_rank",
       .option = "--adapter-rank",
       .type = "N",
       .description = "Of the adapters; of training: train adapters of this rank alone (LoRA)",
       .trains = true,
       .serves = true,
       .values = Counts()},
  };
}

std::string problem_of(const Question& question, bool train, bool serve) {
  if (train == serve) {
    if (!train && question.curve) {
      return "--curve is what a service can do; add --serve with --prompt and --output-tokens";
    }
    return train ? "--train and --serve are two questions; ask one at a time"
                 : "add --train or --serve: what the devices are for";
  }
  if (question.counts.empty() == question.budget.empty()) {
    return question.counts.empty()
               ? "how many devices? add --devices N, or a budget such as --budget \"500 kW\" or "
                 "--budget \"2 MUSD\""
               : "--devices and --budget both say how many devices; give one of them";
  }
  if (const std::string option = foreign_option(question); !option.empty()) {
    return fmt::format("{} goes with --{} alone; leave it out", option, train ? "serve" : "train");
  }
  if (question.global_batch && question.batch_tokens) {
    return "--global-batch and --tokens both say how large a step is; give one of them";
  }
  if (!serve) {
    return "";
  }
  std::string problem = problem_of_requests(question);
  for (const auto of : {problem_of_sessions, problem_of_curve, problem_of_loop}) {
    if (problem.empty()) {
      problem = of(question);
    }
  }
  return problem;
}

std::int64_t parse_tokens(const std::string& option, const std::string& text) {
  struct Scale {
    std::string_view word;
    double factor;
  };
  constexpr std::array<Scale, 9> scales = {{{"", 1.0},
                                            {"k", 1e3},
                                            {"K", 1e3},
                                            {"M", 1e6},
                                            {"million", 1e6},
                                            {"B", 1e9},
                                            {"billion", 1e9},
                                            {"T", 1e12},
                                            {"trillion", 1e12}}};
  constexpr double most = 9e18;
  std::string digits = text;
  std::erase(digits, ',');
  if (has_zero_in_front(digits)) {
    throw Failure(ExitCode::usage,
                  fmt::format("{} {}: it has a zero in front; write it without", option, text));
  }
  double number = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view word = trim(std::string_view(end, digits.data() + digits.size()));
  const auto* const scale = std::find_if(scales.begin(), scales.end(),
                                         [&](const Scale& one) { return one.word == word; });
  const double tokens =
      error == std::errc() && scale != scales.end() ? std::round(number * scale->factor) : 0.0;
  if (!(tokens >= 1.0 && tokens < most)) {
    throw Failure(ExitCode::usage,
                  fmt::format("{} {}: no number of tokens; write one as \"300 B\", \"15 T\" or "
                              "4194304",
                              option, text));
  }
  return static_cast<std::int64_t>(tokens);
}

}  // namespace scalesweep::cli
