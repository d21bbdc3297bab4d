#include "cli/recommend/question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/serving/request_latency.hpp"

namespace scalesweep::cli {
namespace {

std::string short_name(workload::RequestTime time) {
  return time == workload::RequestTime::first_token ? "--ttft" : "--tpot";
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
                                   : "";
  }
  return !question.prompts.empty()            ? "--prompt"
         : !question.outputs.empty()          ? "--output-tokens"
         : !question.shares.empty()           ? "--share"
         : !question.request_rate.empty()     ? "--request-rate"
         : has_limit != question.limits.end() ? has_limit->option
                                              : "";
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
                        fmt::format("{}-{}", short_name(time), percentile.name), ""});
    }
  }
  return limits;
}

std::string problem_of(const Question& question, bool train, bool serve) {
  if (train == serve) {
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
  return serve ? problem_of_requests(question) : "";
}

}  // namespace scalesweep::cli
