# What the job scripts share: the settings of the site, starting ranks, going on after a stop.
# Sourced, not run.
# shellcheck shell=bash

# shellcheck source=site.sh
source "${SCALESWEEP_SITE:-$(dirname "${BASH_SOURCE[0]}")/site.sh}"

# As Slurm's commands know this job: one shard of an array goes by both its numbers.
job=${SLURM_JOB_ID:?this is a script for sbatch}
[[ -z ${SLURM_ARRAY_JOB_ID:-} ]] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
restarts=${SLURM_RESTART_COUNT:-0}
stopped=${stopped:-}

if ! command -v "$SCALESWEEP" >/dev/null; then
  echo "error: there is no program '$SCALESWEEP'; name it, or load its module, in site.sh" >&2
  exit 69
fi

# Exit codes of scalesweep (run --help): anything else that ends a run is not its own word.
readonly exit_no_input=66 exit_unavailable=69 exit_resumable=75
# A start that is lost before anything is there to go on with may be bad luck; not more than these.
readonly most_lost_starts=3

# all_cores: those of every node that the job has, from texts like "64(x3),32".
all_cores() {
  local part total=0 parts
  IFS=, read -ra parts <<<"${SLURM_JOB_CPUS_PER_NODE:-1}"
  for part in "${parts[@]}"; do
    if [[ $part =~ ^([0-9]+)\(x([0-9]+)\)$ ]]; then
      total=$((total + BASH_REMATCH[1] * BASH_REMATCH[2]))
    else
      total=$((total + part))
    fi
  done
  echo "$total"
}

# One rank for each task that was asked for, else for each core.
ranks=${SLURM_NTASKS:-$(all_cores)}

# A node that crashed keeps the sockets of the step it was running, and PMIx cannot start a step of
# the same job and number there again. Steps count from 0 after each restart: no two alike here.
use_up_steps() {
  local step
  for ((step = 0; step < restarts; ++step)); do
    srun --nodes=1 --ntasks=1 --mpi=none true || true
  done
}

# hwloc lists OpenCL devices within mpirun and loads their drivers for that; LLVM in such a driver
# keeps SIGUSR1 to itself, so that ranks never heard of it. Nothing here asks for those devices.
keep_signals_of_mpirun() {
  [[ ${HWLOC_COMPONENTS:-} == *opencl* ]] ||
    export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:+$HWLOC_COMPONENTS,}-opencl
}

# Sets start: the words that start one program on all ranks.
choose_launcher() {
  if [[ $launcher == auto ]]; then
    launcher=mpirun
    if [[ $(srun --mpi=list 2>&1) == *pmix* ]]; then launcher=srun; fi
  fi
  case $launcher in
    srun)
      use_up_steps
      start=(srun --ntasks="$ranks" "${srun_options[@]}")
      ;;
    mpirun)
      keep_signals_of_mpirun
      start=(mpirun -n "$ranks" "${mpirun_options[@]}")
      ;;
    *)
      echo "error: launcher '$launcher' in site.sh is none of auto, srun, mpirun" >&2
      exit 64
      ;;
  esac
}

# announce WHAT: the first lines of a log.
announce() {
  echo "job $job on ${SLURM_JOB_NODELIST:-this node}: $1, restart $restarts"
  "$SCALESWEEP" --version
}

# attend COMMAND...: runs it; sets code, and stopped to the signal that the job got meanwhile.
#
# Slurm sends this script USR1 shortly before the time limit, and TERM when it ends the job: either
# way the ranks shall save what they have and end. Both launchers hand USR1 on to all ranks; TERM
# would make them kill the ranks at once. USR1 may have come before there was anything to stop: the
# scripts note that in stopped from their first line on.
attend() {
  local pid=
  trap 'stopped=USR1; pass_on' USR1
  trap 'stopped=TERM; pass_on' TERM
  code=$exit_resumable
  if [[ -z $stopped ]]; then
    "$@" &
    pid=$!
    # It may have come between the two lines above.
    [[ -z $stopped ]] || pass_on
    wait_for "$pid"
    # USR1 ends what is just starting and does not listen yet: nothing is lost by that.
    if [[ -n $stopped ]] && ((code > 128)); then code=$exit_resumable; fi
  fi
  # Too late to be of use: what comes after is short.
  trap '' USR1
  trap - TERM
}

# pass_on: uses pid of attend.
pass_on() { [[ -z $pid ]] || kill -USR1 "$pid" 2>/dev/null || true; }

# wait_for PID: sets code. A signal ends the wait, not the program.
wait_for() {
  code=0
  wait "$1" || code=$?
  while kill -0 "$1" 2>/dev/null; do
    code=0
    wait "$1" || code=$?
  done
}

# run_study SPEC OUTPUT OPTION...: scalesweep run on all ranks, or this shard of it; sets code to
# what the file says where ranks could not. A mistake ends the job before they start.
run_study() {
  local output=$2 said=0
  local run=("$SCALESWEEP" run "$1" -o "$output" "${@:3}")
  mkdir -p "$(dirname "$output")"
  code=0
  "${run[@]}" --check || code=$?
  ((code == 0)) || return 0
  choose_launcher
  attend "${start[@]}" "${run[@]}"
  case $code in
    0 | 6[4-9] | 7[0-4]) return ;;
    1)
      echo "error: MPI did not start (see above); 'srun --mpi=list' shows what Slurm has for" \
        "srun_options in site.sh, where launcher=mpirun does without" >&2
      code=$exit_unavailable
      return
      ;;
  esac
  # Ended by a signal, or by its launcher after a rank was lost.
  "$SCALESWEEP" status "$output" --exit-code >/dev/null 2>&1 || said=$?
  if ((said == 0)); then echo "ranks ended with $code, and yet $output is finished"; fi
  if ((said == 0 || said == exit_resumable)); then code=$said; fi
  if ((said == exit_no_input && code > 128 && restarts < most_lost_starts)); then
    code=$exit_resumable
  fi
}

# go_on_later: back into the queue, so that the same job goes on where it stopped. Does not return.
go_on_later() {
  if [[ $stopped == TERM ]] || [[ $(scontrol show job "$job") != *JobState=RUNNING* ]]; then
    # Cancelled, or preempted: then Slurm itself puts the job back.
    echo "ended by Slurm; what was computed is kept"
  elif ((restarts >= max_restarts)); then
    echo "stopped early after $restarts restarts; submit the job again to go on" >&2
  else
    # Said first: the requeue ends this script.
    echo "stopped early; goes back into the queue"
    scontrol requeue "$job" ||
      echo "Slurm does not requeue it; submit the job again to go on" >&2
  fi
  exit "$exit_resumable"
}
