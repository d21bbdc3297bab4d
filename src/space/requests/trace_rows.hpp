// The requests of a trace, as its file has them, with every mistake at its line.
//
// A CSV file has the columns `arrival` (seconds from any beginning, not descending), `prompt` and
// `output` (tokens, at least 1), in any order; others are not read but for three that say what
// prompts share. `session` names a conversation: each of its turns goes on with the prompt and the
// output of the one before. `prefix` names what a prompt begins with, the same name in each request
// that begins so (a system prompt, a conversation), and `prefix_tokens` says how many of its tokens
// that is. Both are empty where a prompt has nothing in common with others. A prefix in parts, as a
// conversation behind a system prompt, has a name for each with / between them, and as many
// numbers, each up to the end of its part: "helper/17" and "2000/5400". A session stands behind its
// prefix.
//
// A file that ends in .jsonl is a trace as Mooncake publishes them (kvcache-ai/Mooncake,
// FAST25-release): an object a line with `timestamp` (milliseconds), `input_length` and
// `output_length`, and `hash_ids`, an id for each 512 tokens of the prompt, the same where it and
// all before it are the same. What an answer leaves is not in it: a later turn finds its prompt
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "space/requests/prefix_reuse.hpp"

namespace scalesweep::space {

struct TracedRequest {
  double arrival_s = 0.0;
  double prompt = 0.0;
  double output = 0.0;
};

struct TraceRows {
  std::vector<TracedRequest> requests;
  std::vector<std::vector<SharedPart>> parts;  // of each; empty where the file says none
};

// Nothing where there is a mistake.
std::optional<TraceRows> read_trace_rows(const std::string& path, const std::string& text,
                                         Diagnostics& diagnostics);

}  // namespace scalesweep::space
