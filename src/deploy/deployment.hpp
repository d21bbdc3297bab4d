// What to run for a point of a study: options of a framework, files, what its memory holds, and
// why it cannot where it cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalesweep::deploy {

// An option as it is written, of a command line, of a file or of the environment.
struct Flag {
  std::string name;          // "--tensor-model-parallel-size", "parallelism.tensor_parallel_degree"
  std::string value;         // as it is typed; "" of a switch
  std::string why;           // the field of the strategy, or what of the workload it says
  std::string file;          // that it stands in; "" on the command line
  bool is_variable = false;  // of the environment of the command
};

struct File {
  std::string name;
  std::string content;
};

// What the fullest device holds, in the engine's own terms. Bytes; sequences and tokens are those
// of one replica.
struct MemoryCheck {
  std::string pool;    // "decode", "prefill"; "" where there is one
  std::string option;  // that says how much the engine takes; "" where none does
  double share = 0.0;  // its value
  double default_share = 0.0;
  double device_bytes = 0.0;
  double weights_bytes = 0.0;
  double activations_bytes = 0.0;
  double graphs_bytes = 0.0;     // CUDA graphs, an assumption
  std::int64_t graph_sizes = 0;  // of batches that they are of
  double held_ratio = 1.0;       // what the engine holds of a request over what the estimate does
  double states_bytes = 0.0;     // of training: gradients and optimizer states
  double cache_bytes = 0.0;      // keys and values that the estimate needs
  double budget_bytes = 0.0;     // for them, as the options have it; of training for all tensors
  double sequences = 0.0;        // at a time, that the estimate needs
  double sequences_that_fit = 0.0;
  double tokens_that_fit = 0.0;
  bool fits = true;
  std::string text;  // all this in a sentence or two
};

struct Deployment {
  std::string target;
  std::string version;  // of the options
  std::string commit;   // that they were read at
  std::string source;   // the files that parse them
  std::vector<Flag> flags;
  std::string command;
  // What starts it where one of the files holds the command: "sbatch train.sbatch".
  std::string submit;
  std::vector<File> files;
  std::vector<MemoryCheck> memory;
  std::vector<std::string> notes;
  // Why it cannot be run; then nothing above but the target is of use.
  std::vector<std::string> problems;

  bool can_run() const { return problems.empty(); }
};

}  // namespace scalesweep::deploy
