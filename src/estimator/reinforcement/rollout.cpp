#include "estimator/reinforcement/rollout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace scalesweep::estimator {
namespace {

constexpr std::size_t cells = 64;      // from the first token to the end of the longest answer
constexpr double most_batches = 20.0;  // that are followed one by one

// Of answers that began in one cell, what runs in those that follow, in the mean over each.
std::vector<double> shares_running(const OutputLengths& lengths, double width) {
  std::vector<double> shares(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double from = static_cast<double>(i) * width;
    shares[i] = (lengths.mean_up_to(from + width) - lengths.mean_up_to(from)) / width;
  }
  return shares;
}

// The first token of an answer comes with its prompt.
double decoded_share(const OutputLengths& lengths) {
  return std::max(0.0, lengths.mean() - 1.0) / lengths.mean();
}

// Those that run in a cell, and how many tokens they have.
struct Running {
  double sequences = 0.0;
  double age = 0.0;  // the sum of all
};

Running running_in(const std::vector<double>& begun, const std::vector<double>& shares,
                   std::size_t cell, double width) {
  Running found;
  const std::size_t first = cell + 1 > cells ? cell + 1 - cells : 0;
  for (std::size_t i = first; i < std::min(begun.size(), cell + 1); ++i) {
    const double sequences = begun[i] * shares[cell - i];
    found.sequences += sequences;
    found.age += sequences * (static_cast<double>(cell - i) + 0.5) * width;
  }
  return found;
}

}  // namespace

RolloutCost batch_rollout(const OutputLengths& lengths, const ReplicaLoad& load,
                          double answers_of_all, const DecodePass& pass) {
  const double width = lengths.longest(answers_of_all) / static_cast<double>(cells);
  const std::vector<double> shares = shares_running(lengths, width);
  const double places = std::min(load.answers, load.most);
  const double passes = width * decoded_share(lengths);  // of a cell
  RolloutCost cost;
  double left = std::min(load.answers, most_batches * load.most);
  if (load.answers > left) {
    cost.full.add((load.answers - left) * lengths.mean() / places * decoded_share(lengths),
                  pass(places, load.prompt + lengths.mean_age()));
  }
  // Some replica has the longest of those that run last: there passes have one sequence at least.
  const double replicas = answers_of_all / load.answers;
  std::vector<double> begun;
  for (std::size_t cell = 0; cell < begun.size() + cells; ++cell) {
    Running now = running_in(begun, shares, cell, width);
    if (left > 0.0) {
      double start = std::clamp((places - now.sequences) / shares.front(), 0.0, left);
      start = left - start < 1e-9 * places ? left : start;
      begun.push_back(start);
      left -= start;
      now = running_in(begun, shares, cell, width);
    }
    if (left <= 0.0 && now.sequences * replicas < expected_beyond_longest) {
      break;
    }
    const bool is_tail = left <= 0.0 && now.sequences < 0.5 * places;
    const double age = now.sequences > 0.0 ? now.age / now.sequences : 0.0;
    (is_tail ? cost.tail : cost.full)
        .add(passes, pass(std::max(1.0, now.sequences), load.prompt + age));
  }
  return cost;
}

namespace {

// Passes of an iteration, at least.
double least_passes(const OutputLengths& lengths, std::int64_t staleness, double answers) {
  const double longest = lengths.longest(answers);
  const double may_run = static_cast<double>(staleness) - 1.0;
  const auto still_run = [&](double passes) {
    double shares = 0.0;
    for (double age = passes; age < longest && shares <= may_run; age += passes) {
      shares += lengths.running(age);
    }
    return shares;
  };
  double low = 0.0;
  double high = longest;
  while (high - low > 1e-6 * longest) {
    const double middle = 0.5 * (low + high);
    (still_run(middle) > may_run ? low : high) = middle;
  }
  return high;
}

double steady_passes(const OutputLengths& lengths, const ReplicaLoad& load,
                     std::int64_t staleness) {
  return std::max(least_passes(lengths, staleness, load.answers),
                  load.answers * lengths.mean() / load.most);
}

}  // namespace

double steady_sequences(const OutputLengths& lengths, const ReplicaLoad& load,
                        std::int64_t staleness) {
  return load.answers * lengths.mean() / steady_passes(lengths, load, staleness);
}

RolloutCost steady_rollout(const OutputLengths& lengths, const ReplicaLoad& load,
                           std::int64_t staleness, const DecodePass& pass) {
  RolloutCost cost;
  cost.full.add(steady_passes(lengths, load, staleness) * decoded_share(lengths),
                pass(std::max(1.0, steady_sequences(lengths, load, staleness)),
                     load.prompt + lengths.mean_age()));
  return cost;
}

}  // namespace scalesweep::estimator
