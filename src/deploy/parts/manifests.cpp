#include "deploy/parts/manifests.hpp"

#include <fmt/format.h>

namespace scalesweep::deploy {

std::string slurm_training(const std::string& command, const Hosts& hosts) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --nodes={0}
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node={1}
#SBATCH --exclusive
export HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export CUDA_DEVICE_MAX_CONNECTIONS=1
srun {2})",
      hosts.nodes, hosts.per_node, command);
}

}  // namespace scalesweep::deploy
