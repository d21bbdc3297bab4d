#include "deploy/deploy_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "deploy/memory/engine_memory.hpp"
#include "deploy/parts/documents.hpp"
#include "deploy/parts/manifests.hpp"
#include "deploy/parts/training_run.hpp"
#include "deploy/parts/vendors.hpp"
#include "estimator/training/training.hpp"

namespace scalesweep::deploy {
namespace {

// What starts a process for each device of a server. Options with underscores: all releases of
// PyTorch take them, those with dashes only later ones.
std::string torchrun(const Hosts& hosts) {
  if (hosts.nodes == 1) {
    return fmt::format("torchrun --standalone --nproc_per_node {}", hosts.per_node);
  }
  return fmt::format(
      "torchrun --nnodes {} --nproc_per_node {} \\\n  --rdzv_backend c10d --rdzv_endpoint "
      "\"$HEAD:29500\"",
      hosts.nodes, hosts.per_node);
}

// What no target has options for yet: a command without it would train something else.
std::vector<std::string> unwritten(const estimator::TrainingJob& job) {
  std::vector<std::string> problems;
  if (job.tuning.on()) {
    problems.push_back(
        fmt::format("options of adapters (adapter_rank {}) are not written; take a "
                    "point that trains all weights, adapter_rank = 0",
                    job.tuning.rank));
  }
  if (job.optimizer.name != catalog::default_optimizer) {
    problems.push_back(
        fmt::format("options of the optimizer {} are not written; take a point with "
                    "{}",
                    job.optimizer.name, catalog::default_optimizer));
  }
  return problems;
}

// srun starts a program, not a shell: variables cannot stand before it.
std::vector<Flag> options_alone(const Deployment& made) {
  std::vector<Flag> options;
  std::copy_if(made.flags.begin(), made.flags.end(), std::back_inserter(options),
               [](const Flag& flag) { return !flag.is_variable; });
  return options;
}

}  // namespace

void deploy_training(const TrainingTarget& target, const study::Point& point, Deployment& made) {
  const auto& job = study::work_of<estimator::TrainingJob>(point.job);
  if (const std::vector<std::string> problems = unwritten(job); !problems.empty()) {
    made.problems.insert(made.problems.end(), problems.begin(), problems.end());
    return;
  }
  const technology::System& system = *point.system.system;
  const estimator::TrainingEstimate estimate =
      estimator::estimate_training({job, system, point.strategy});
  MemoryCheck memory = check_memory(estimate, system.device);
  if (!memory.fits) {
    made.problems.push_back(memory.text + "; take a point that fits");
    return;
  }
  made.memory.push_back(std::move(memory));
  const TrainingRun run = {job, system, point.strategy, hosts_of(system, point.strategy.devices()),
                           made.version};
  const TrainingForm form =
      target.form != nullptr ? target.form(run) : TrainingForm{target.file, target.script};
  made.flags = flags_of(target.options, run, form.file.name);
  const std::string script = form.is_one_process
                                 ? std::string(form.script)
                                 : fmt::format("{} {}", torchrun(run.hosts), form.script);
  made.command = command_line(script, made.flags);
  if (!form.file.name.empty()) {
    made.files.push_back({std::string(form.file.name),
                          form.content != nullptr ? form.content(run, made.flags)
                                                  : document(made.flags, form.file.language)});
  }
  const bool on_slurm = vendor_of(system.device.name) != Vendor::google;
  if (run.hosts.nodes > 1 && on_slurm) {
    made.files.push_back({"train.sbatch", slurm_training(command_line(script, options_alone(made)),
                                                         made.flags, run.hosts)});
    made.submit = "sbatch train.sbatch\n";
    made.notes.emplace_back("HEAD is the address of the first server; train.sbatch sets it");
  }
  if (!target.variables.empty()) {
    made.notes.emplace_back(target.variables);
  }
  if (job.model.document > 0) {
    made.notes.push_back(
        fmt::format("sequences are packed of documents of {} tokens, which attend "
                    "to themselves alone: the data must come so",
                    job.model.document));
  }
  if (!run.hosts.note.empty()) {
    made.notes.push_back(run.hosts.note);
  }
  for (std::string& note : target.notes(run)) {
    made.notes.push_back(std::move(note));
  }
}

}  // namespace scalesweep::deploy
