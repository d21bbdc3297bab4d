// Requests one by one through one replica that batches continuously: the oracle of the closed form
// in estimator/inference/queueing/percentiles.
//
// First come, first served. In each iteration every sequence in the batch gives a token, and the
// prompts that wait are processed as far as a chunk reaches and a place is free for them; with
// separate batching in an iteration of their own, which another without prompts follows. With a
// draft a sequence gives as many tokens as are kept, each with the probability of its acceptance.
// An iteration takes what estimator::iteration_cost says of just what is in it. With overlapped
// scheduling it has those that were there when the one before it began.
//
// Of several replicas one is simulated, to which each request is sent by chance. With pools a
// request waits for a prompt device, which takes one prompt after the other, then travels, then
// waits for a place where it is decoded.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "estimator/inference/drafter.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/iteration.hpp"

namespace scalesweep::test {

struct SimulatedLatency {  // seconds
  double mean_s = 0.0;
  estimator::Percentiles percentiles_s = {};
};

inline SimulatedLatency latency_of(std::vector<double> times_s) {
  std::sort(times_s.begin(), times_s.end());
  const auto count = static_cast<double>(times_s.size());
  SimulatedLatency latency;
  for (const double s : times_s) {
    latency.mean_s += s / count;
  }
  constexpr std::array shares = {0.5, 0.9, 0.99};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    latency.percentiles_s[i] = times_s[static_cast<std::size_t>(shares[i] * (count - 1.0))];
  }
  return latency;
}

struct SimulatedService {
  SimulatedLatency first_token;
  SimulatedLatency output_token;  // of each request the mean
};

// Renewal arrivals of a squared coefficient of variation from 1 on: two exponentials with balanced
// means (Whitt 1982), or of the scv of 1 one.
class Arrivals {
 public:
  Arrivals(double rate, double scv, std::mt19937_64& random)
      : rate_(rate), random_(random), fast_(0.5 * (1.0 + std::sqrt((scv - 1.0) / (scv + 1.0)))) {}

  double next() {
    time_s_ += std::exponential_distribution(
        2.0 * rate_ * (uniform_(random_) < fast_ ? fast_ : 1.0 - fast_))(random_);
    return time_s_;
  }

 private:
  double rate_;
  std::mt19937_64& random_;
  double fast_;
  double time_s_ = 0.0;
  std::uniform_real_distribution<double> uniform_;
};

class RequestSimulation {
 public:
  // `sent`: the share of all requests that is sent to this replica. `transfer_s`: of the cache of
  // pools.
  RequestSimulation(const estimator::ServingJob& job, const estimator::Replica& model, int places,
                    double sent = 1.0, double transfer_s = 0.0)
      : job_(job),
        model_(model),
        places_(static_cast<std::size_t>(places)),
        sent_(sent),
        transfer_s_(transfer_s) {}

  SimulatedService run(double rate, double scv, int requests, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    prompts_done_s_ = 0.0;
    Arrivals arrivals(rate, scv, random);
    Request next = request(arrivals, random);
    const auto come = [&](double now_s, bool idle, std::deque<Request>& waiting) {
      now_s = idle ? std::max(now_s, next.comes_s()) : now_s;
      for (; next.comes_s() <= now_s; next = request(arrivals, random)) {
        waiting.push_back(next);
      }
      return now_s;
    };
    return serve(requests, random, come, [](double) {});
  }

  // How the requests of a closed loop differ: by `spread` more or less tokens of output; or not at
  // all, all of them begin at once, and of each the client sends the next `sent_s` later, more or
  // less (exponential).
  struct Differences {
    double spread = 0.1;
    double sent_s = 0.0;
  };

  // So many that are open all the time: as one is answered, another comes. Those that differ begin
  // one after the other, over the time of the first.
  SimulatedService run_closed(int open, Differences of, int requests, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> length(1.0 - of.spread, 1.0 + of.spread);
    std::exponential_distribution<double> sent(of.sent_s > 0.0 ? 1.0 / of.sent_s : 1.0);
    const estimator::RequestClass& one = job_.requests.front();
    std::deque<Request> coming;
    const auto another = [&](double arrival_s) {
      const double comes_s = arrival_s + (of.sent_s > 0.0 ? sent(random) : 0.0);
      const auto behind = std::upper_bound(
          coming.begin(), coming.end(), comes_s,
          [](double time_s, const Request& other) { return time_s < other.arrival_s; });
      coming.insert(behind,
                    {comes_s, one.prompt, std::max(2.0, std::round(one.output * length(random)))});
    };
    const double stay_s =
        one.output * cost_s(open, open * (one.prompt + 0.5 * one.output), 0, 0, 0);
    for (int i = 0; i < open; ++i) {
      another(of.spread > 0.0 ? stay_s * i / open : 0.0);
    }
    const auto come = [&](double now_s, bool idle, std::deque<Request>& waiting) {
      now_s = idle ? std::max(now_s, coming.front().arrival_s) : now_s;
      for (; !coming.empty() && coming.front().arrival_s <= now_s; coming.pop_front()) {
        waiting.push_back(coming.front());
      }
      return now_s;
    };
    return serve(requests, random, come, another);
  }

 private:
  struct Request {
    double arrival_s = 0.0;
    double prompt = 0.0;
    double output = 0.0;
    double prefilled = 0.0;
    double first_s = 0.0;
    double given = 0.0;
    double enters_s = 0.0;  // where it is decoded, of pools

    double comes_s() const { return std::max(arrival_s, enters_s); }
  };

  // `come`: those that are there by a time, or the first that comes to an idle engine; gives that
  // time. `answered`: one has just been.
  template <typename Come, typename Answered>
  SimulatedService serve(int requests, std::mt19937_64& random, const Come& come,
                         const Answered& answered) {
    std::uniform_real_distribution<double> uniform;
    after_prompts_ = false;
    std::deque<Request> waiting;
    std::vector<Request> running;
    std::vector<double> first_s, output_s;
    double now_s = 0.0;
    double began_s = 0.0;  // the iteration before
    for (int done = 0; done < requests;) {
      if (waiting.empty() && running.empty()) {
        now_s = come(now_s, true, waiting);
      } else {
        come(job_.inference.stack.overlapped_scheduling ? began_s : now_s, false, waiting);
      }
      began_s = now_s;
      now_s += iteration_s(waiting, running);
      for (std::size_t i = 0; i < running.size() && !after_prompts_;) {
        Request& one = running[i];
        one.given += 1.0;
        const estimator::Speculation& draft = job_.inference.speculation;
        for (int k = 0; k < draft.draft && uniform(random) < draft.acceptance; ++k) {
          one.given += 1.0;
        }
        if (one.given < one.output) {
          ++i;
          continue;
        }
        if (++done > requests / 10) {  // the first find an empty engine
          first_s.push_back(one.first_s - one.arrival_s);
          output_s.push_back((now_s - one.first_s) / (one.output - 1.0));
        }
        answered(now_s);
        one = running.back();
        running.pop_back();
      }
      while (!waiting.empty() && waiting.front().prefilled >= waiting.front().prompt) {
        if (!pools()) {
          waiting.front().first_s = now_s;
        } else if (running.size() >= places_) {
          break;
        }
        waiting.front().given = 1.0;
        running.push_back(waiting.front());
        waiting.pop_front();
      }
    }
    return {latency_of(std::move(first_s)), latency_of(std::move(output_s))};
  }

  bool pools() const { return job_.batching == estimator::Batching::disaggregated; }

  Request request(Arrivals& arrivals, std::mt19937_64& random) {
    std::vector<double> shares;
    for (const estimator::RequestClass& one : job_.requests) {
      shares.push_back(one.share);
    }
    std::discrete_distribution<std::size_t> which(shares.begin(), shares.end());
    const estimator::RequestClass& one = job_.requests[which(random)];
    std::uniform_real_distribution<double> uniform;
    double arrival_s = arrivals.next();
    while (sent_ < 1.0 && uniform(random) >= sent_) {
      arrival_s = arrivals.next();
    }
    Request next = {arrival_s, one.prompt, one.output};
    if (pools()) {
      prompts_done_s_ = std::max(prompts_done_s_, arrival_s) + prompt_s(one.prompt);
      next.first_s = prompts_done_s_;
      next.prefilled = one.prompt;
      next.enters_s = next.first_s + transfer_s_;
    }
    return next;
  }

  // Alone, in its chunks.
  double prompt_s(double prompt) {
    const double chunk = job_.inference.chunk_tokens(model_.strategy);
    double s = 0.0;
    for (double done = 0.0; done < prompt;) {
      const double part = chunk > 0.0 ? std::min(chunk, prompt - done) : prompt;
      s += cost_s(0.0, 0.0, 1.0, part, done);
      done += part;
    }
    return s;
  }

  // And takes what it processes from the prompts that wait.
  double iteration_s(std::deque<Request>& waiting, const std::vector<Request>& running) {
    const double chunk = job_.inference.chunk_tokens(model_.strategy);
    const bool alone = job_.batching == estimator::Batching::separate;
    double left = chunk > 0.0 ? chunk : 1e18;
    if (pools() || (alone && after_prompts_ && !running.empty())) {
      left = 0.0;  // a turn of the others
    }
    double prompts = 0.0, tokens = 0.0, cached = 0.0;
    for (std::size_t i = 0; i < waiting.size() && left > 0.0; ++i) {
      if (running.size() + i >= places_) {
        break;
      }
      Request& one = waiting[i];
      const double part = std::min(left, one.prompt - one.prefilled);
      ++prompts;
      tokens += part;
      cached += one.prefilled;
      one.prefilled += part;
      left -= part;
    }
    after_prompts_ = alone && prompts > 0.0;
    if (after_prompts_) {
      return cost_s(0.0, 0.0, prompts, tokens, cached);
    }
    double cache = 0.0;
    for (const Request& one : running) {
      cache += one.prompt + one.given;
    }
    return cost_s(static_cast<double>(running.size()), cache, prompts, tokens, cached);
  }

  // Of rounded arguments, each computed once.
  double cost_s(double sequences, double cache, double prompts, double tokens, double cached) {
    if (sequences <= 0.0 && prompts <= 0.0) {
      return 0.0;
    }
    const auto to = [](double x, double step) { return step * std::round(x / step); };
    const double n = to(sequences, std::max(1.0, std::floor(sequences / 32.0)));
    const double each = sequences > 0.0 ? to(cache / sequences, 64.0) : 0.0;
    const double part = prompts > 0.0 ? to(tokens / prompts, prompts > 2.0 ? 64.0 : 16.0) : 0.0;
    const double before = prompts > 0.0 ? to(cached / prompts, 256.0) : 0.0;
    const auto [at, absent] = costs_s_.try_emplace({n, each, prompts, part, before}, 0.0);
    if (absent) {
      estimator::Iteration iteration;
      if (n > 0.0) {
        const auto checked = static_cast<double>(job_.inference.speculation.draft) + 1.0;
        iteration.decode = {n, checked, each};
      }
      if (prompts > 0.0) {
        iteration.prefill = {prompts, std::max(1.0, part), before};
      }
      at->second = estimator::iteration_cost(model_, iteration).total().time.total_s() +
                   estimator::proposals_cost(model_, n, each).time.total_s();
    }
    return at->second;
  }

  const estimator::ServingJob& job_;
  const estimator::Replica& model_;
  std::size_t places_;
  double sent_;
  double transfer_s_;
  double prompts_done_s_ = 0.0;  // on the device for prompts
  bool after_prompts_ = false;   // the last iteration was one of prompts alone
  std::map<std::tuple<double, double, double, double, double>, double> costs_s_;
};

}  // namespace scalesweep::test
