// How many sequences a step has where a question says tokens, or nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace scalesweep::cli {

// As far as a batch may be from what is asked, for more layouts.
inline constexpr double most_batch_change = 0.05;

// Of the whole numbers of sequences within that of `wanted`, the one that most numbers of replicas
// and micro-batches divide on so many devices; of several such the nearest. Where there is no whole
// number so near, the nearest at all.
std::int64_t even_batch(double wanted, std::int64_t devices);

// By number of devices.
using Batches = std::map<std::int64_t, std::int64_t>;
Batches even_batches(double wanted, const std::vector<std::int64_t>& devices);

// "global batch 128, of 16,777,216 tokens: 4.9 % more than asked, so that more layouts divide it",
// of sequences of so many tokens.
std::string batch_text(const Batches& batches, std::int64_t sequence, std::int64_t tokens);

}  // namespace scalesweep::cli
