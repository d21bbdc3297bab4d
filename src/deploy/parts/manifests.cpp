#include "deploy/parts/manifests.hpp"

#include <fmt/format.h>

#include "deploy/parts/documents.hpp"

namespace scalesweep::deploy {

std::string slurm_training(const std::string& command, std::span<const Flag> flags,
                           const Hosts& hosts) {
  std::string exports;
  std::string of_task;  // what only a task knows
  for (const Flag& flag : flags) {
    if (flag.is_variable && flag.value == "$NODE_RANK") {
      of_task = fmt::format("bash -c 'export {}=$SLURM_PROCID; exec \"$@\"' task ", flag.name);
    } else if (flag.is_variable) {
      exports += fmt::format("export {}={}\n", flag.name, option_word(flag.value));
    }
  }
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --nodes={0}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node={1}
#SBATCH --exclusive
export HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
{2}srun {3}{4})",
      hosts.nodes, hosts.per_node, exports, of_task, command);
}

}  // namespace scalesweep::deploy
