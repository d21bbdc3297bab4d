// What somebody asks `recommend`, as the words of the command line say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace scalesweep::cli {

enum class Aim { training, serving };

// A limit on a latency: a key of [workload], and the option that it comes from.
struct LatencyLimit {
  std::string key;     // "time_to_first_token_p99"
  std::string option;  // "--ttft-p99"
  std::string value;   // "2 s"; empty: none
  // Of a percentile, the option that limits the mean; empty: it is that.
  std::string mean_option = {};
};

// What is given to a key: names or numbers.
using KeyValues =
    std::variant<std::vector<std::string>, std::vector<std::int64_t>, std::vector<double>>;

// A key of [workload] that an option gives: checking the spec says which values it may not have.
struct KeyOption {
  std::string key;          // "prefix_hits"
  std::string option;       // "--prefix-hits"
  std::string type;         // of its value, for help
  std::string description;  // for help
  bool trains = false;      // goes with --train
  bool serves = false;      // goes with --serve
  KeyValues values = {};    // empty: not given

  // As TOML has them, names without quotes.
  std::vector<std::string> words() const;
};

// How many of a device there may be.
struct DeviceCounts {
  std::string device;
  std::vector<std::int64_t> counts = {};  // ascending, that are tried
  // Those that there are, where fewer of them are tried, too.
  std::optional<std::int64_t> asked = std::nullopt;
};

struct Question {
  Aim aim = Aim::training;
  std::string model;  // a name of the catalog, or a file
  std::vector<std::string> devices;
  std::vector<std::int64_t> counts;     // of devices; each is a question of its own
  std::string budget;                   // "500 kW", "2 MUSD": in place of counts
  std::string network;                  // empty: that of the device
  std::vector<std::string> precisions;  // empty: usual_precision; of several the best is told
  std::vector<std::string> frameworks;  // empty: usual_framework; of several the best is told

  std::vector<KeyOption> keys;  // key_options(), with values

  // Training.
  std::optional<std::int64_t> sequence;      // tokens
  std::optional<std::int64_t> global_batch;  // sequences
  std::optional<std::int64_t> batch_tokens;  // in place of it, tokens
  std::optional<std::int64_t> run_tokens;    // of the whole run: how long does it take?

  // Serving: formats of keys and values, where they are named.
  std::vector<std::string> caches;
  // Classes of requests, in tokens.
  std::vector<std::int64_t> prompts;
  std::vector<std::int64_t> outputs;
  std::vector<double> shares;  // empty: all alike
  // Turns of sessions, whose first prompt those are; nothing: requests stand alone.
  std::optional<std::int64_t> turns;
  std::optional<std::int64_t> turn_tokens;    // added each turn
  std::optional<std::int64_t> shared_prompt;  // tokens that all sessions begin with
  std::string think_time;                     // "30 s"; empty: none
  std::string host_cache;                     // of each device, "200 GB"; empty: none
  std::vector<LatencyLimit> limits;
  std::string request_rate;  // "20 Hz"; empty: the highest within the limits
  // In place of it, requests in flight; each is a question of its own, or a part of the curve.
  std::vector<std::int64_t> concurrency;
  // Tokens per second of a device over those of a user, at all loads.
  bool curve = false;
  std::string figure;    // a file to draw it into; empty: none
  std::string measured;  // a file with points to stand beside it; empty: none
};

// "15 T", "300 B", "4 M", "4194304", "2.5e9": a number of tokens. Throws Failure(usage), which
// names the option.
std::int64_t parse_tokens(const std::string& option, const std::string& text);

// The limits that a service may have, without values, in the order of help.
std::vector<LatencyLimit> latency_limits();

// The options that are keys of the spec, without values, in the order of help.
std::vector<KeyOption> key_options();

// What is wrong with it without looking anything up, in terms of options; "" if nothing is.
std::string problem_of(const Question& question, bool train, bool serve);

}  // namespace scalesweep::cli
