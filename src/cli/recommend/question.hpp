// What somebody asks `recommend`, as the words of the command line say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalesweep::cli {

enum class Aim { training, serving };

// A limit on a latency: a key of [workload], and the option that it comes from.
struct LatencyLimit {
  std::string key;     // "time_to_first_token_p99"
  std::string option;  // "--ttft-p99"
  std::string value;   // "2 s"; empty: none
};

struct Question {
  Aim aim = Aim::training;
  std::string model;  // a name of the catalog, or a file
  std::vector<std::string> devices;
  std::vector<std::int64_t> counts;  // of devices; each is a question of its own
  std::string budget;                // "500 kW", "2 MUSD": in place of counts
  std::string network;               // empty: that of the device
  std::string precision;             // empty: usual_precision
  std::string framework;             // empty: usual_framework

  // Training.
  std::optional<std::int64_t> sequence;      // tokens
  std::optional<std::int64_t> global_batch;  // sequences
  std::optional<std::int64_t> batch_tokens;  // in place of it, tokens

  // Serving: classes of requests, in tokens.
  std::vector<std::int64_t> prompts;
  std::vector<std::int64_t> outputs;
  std::vector<double> shares;  // empty: all alike
  std::vector<LatencyLimit> limits;
  std::string request_rate;  // "20 Hz"; empty: the highest within the limits
};

// The limits that a service may have, without values, in the order of help.
std::vector<LatencyLimit> latency_limits();

// What is wrong with it without looking anything up, in terms of options; "" if nothing is.
std::string problem_of(const Question& question, bool train, bool serve);

}  // namespace scalesweep::cli
