// How long the answers to all prompts of an iteration take an engine: decode passes summed over the
// sequences that still run.
#pragma once

#include <cstdint>
#include <functional>

#include "estimator/parts/cost.hpp"
#include "estimator/reinforcement/output_lengths.hpp"

namespace scalesweep::estimator {

// One decode pass of a replica with so many sequences, whose caches hold so many tokens each.
using DecodePass = std::function<Cost(double sequences, double cached_tokens)>;

// What one replica has to answer.
struct ReplicaLoad {
  double answers = 1.0;  // of an iteration
  double prompt = 1.0;   // tokens
  double most = 1.0;     // sequences at a time, that its cache holds
};

struct RolloutCost {
  Cost full;  // while at least half of the places are taken
  Cost tail;  // then
  Cost total() const { return full + tail; }
};

// All answers of a batch, whose weights stay the same: as many as fit begin at once, each that ends
// makes room for the next (Yu et al., Orca, OSDI 2022), and when none is left to begin those that
// run become fewer. The tail is the time in which fewer than half of min(answers, most) run.
//
// A sum over lengths in cells of equal width, with the numbers of sequences as means. All replicas
// wait for the longest answer that runs last on any of them; `answers_of_all` are theirs together.
RolloutCost batch_rollout(const OutputLengths& lengths, const ReplicaLoad& load,
                          double answers_of_all, const DecodePass& pass);

// An engine that begins new answers while those before go on, as far as weights may be `staleness`
// >= 2 iterations old: the time in which it ends as many as an iteration has.
//
// Samples that were begun and not trained on are at most `staleness` iterations' (Fu et al., AReaL,
// arXiv:2505.24298, eq. 3). If an iteration takes D passes, those that j iterations ago began and
// still run are a share S(j D), S of OutputLengths::running; of all that were begun, one
// iteration's must be ready when the next one trains, so that sum over j >= 1 of S(j D) <=
// staleness - 1. By Little's law N mean / D run at a time, no more than the cache holds.
RolloutCost steady_rollout(const OutputLengths& lengths, const ReplicaLoad& load,
                           std::int64_t staleness, const DecodePass& pass);
// How many of a replica run then.
double steady_sequences(const OutputLengths& lengths, const ReplicaLoad& load,
                        std::int64_t staleness);

}  // namespace scalesweep::estimator
