#!/usr/bin/env bash
# A private Slurm cluster on one machine: a head and nodes n1, n2, ... in namespaces of their own
# (network, hostname, mounts, processes, shared memory), joined by a bridge that leads nowhere else.
# A node can crash and come back. Everything is in FOLDER; /etc and the machine's own network and
# daemons are left alone.
#
#   cluster.sh probe                       exit 0, or 77 and what is missing
#   cluster.sh start FOLDER [NODES] [CPUS] starts what is not running; waits until all nodes answer
#   cluster.sh crash FOLDER NODE           as if its power failed
#   cluster.sh revive FOLDER               starts the nodes that crashed
#   cluster.sh stop FOLDER                 ends all of it, also where start failed
#   cluster.sh guard FOLDER PID            in the background: stops it when PID ends
#   FOLDER/on-head COMMAND...              runs sbatch, squeue, ... on the head
set -euo pipefail

readonly exit_skipped=77
readonly network=10.77.0
readonly head_address=$network.254

say() { printf 'cluster: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Whether a process is at work: a dead one that waits to be collected is not.
is_running() {
  local state
  state=$(awk '$1 == "State:" { print $2 }' "/proc/$1/status" 2>/dev/null) || return 1
  [[ -n $state && $state != [ZX] ]]
}

# recorded NAME: the process id that start wrote down, if that process is still the one it was.
# The time of its start tells it from a later process of the same number.
recorded() {
  local pid began
  [[ -s $folder/run/$1 ]] || return 1
  read -r pid began <"$folder/run/$1"
  is_running "$pid" && [[ $(start_time "$pid") == "$began" ]] && echo "$pid"
}

start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

record() { echo "$2 $(start_time "$2")" >"$folder/run/$1"; }

# within SECONDS COMMAND...: tries until it works.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# What a namespace may be refused: in containers even root often has no right to make one.
probe() {
  local program missing=()
  for program in slurmctld slurmd munged sbatch ip unshare nsenter; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  if ((${#missing[@]} > 0)); then
    echo "skipped: not installed: ${missing[*]} (./test.sh --slurm installs it)"
    exit "$exit_skipped"
  fi
  if (($(id -u) != 0)); then
    echo "skipped: a private Slurm cluster needs root"
    exit "$exit_skipped"
  fi
  if ! unshare --net --uts --mount --pid --ipc --fork --mount-proc -- bash -c '
    hostname probe && mount -t tmpfs tmpfs /dev/shm && ip link add br0 type bridge &&
      ip link add v1 type veth peer name v2' >/dev/null 2>&1; then
    echo "skipped: no right to namespaces with a network of their own"
    exit "$exit_skipped"
  fi
}

write_configuration() {
  local memory_mib node
  memory_mib=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$folder/etc/cgroup.conf"
  : >"$folder/etc/plugstack.conf"
  {
    cat <<CONF
ClusterName=private
SlurmctldHost=head($head_address)
SlurmUser=root
SlurmdUser=root
# A key and a socket of its own. A credential's life is also how long a job that was put back into
# the queue waits before it starts again: two minutes, if nothing is said.
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
# PMIx makes a folder for every step here; nodes that share one machine must not share it.
TmpFS=$folder/tmp/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
# Nothing of the host is managed: no cgroups, no binding, no accounting.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$folder/log/jobs.txt
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,batch_sched_delay=0,requeue_delay=1
# Nodes may claim more cores than the machine has.
SlurmdParameters=config_overrides
JobRequeue=1
ReturnToService=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
MinJobAge=600
# How soon a node that died is noticed.
SlurmctldTimeout=60
SlurmdTimeout=${SCALESWEEP_NODE_TIMEOUT:-5}
InactiveLimit=0
NodeName=DEFAULT CPUs=$cpus SocketsPerBoard=1 CoresPerSocket=$cpus ThreadsPerCore=1
NodeName=DEFAULT Boards=1 RealMemory=$((memory_mib / nodes)) State=UNKNOWN
CONF
    for ((node = 1; node <= nodes; ++node)); do
      echo "NodeName=n$node NodeAddr=$network.$node"
    done
    cat <<CONF
PartitionName=DEFAULT Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=NO
PartitionName=batch Default=YES PriorityTier=1 GraceTime=5
PartitionName=urgent PriorityTier=2 PreemptMode=OFF
CONF
  } >"$folder/etc/slurm.conf"
}

write_programs() {
  # The first process of a namespace; when it dies, the kernel kills all the others.
  #   init NAME ADDRESS DAEMON...
  cat >"$folder/init" <<'INIT'
#!/usr/bin/env bash
set -euo pipefail
name=$1 address=$2
shift 2
hostname "$name"
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ip link set lo up
if [[ $name == head ]]; then
  device=br0
  ip link add br0 type bridge
else
  # Given to this namespace from outside.
  device=eth0
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
fi
ip address add "$address/24" dev "$device"
ip link set "$device" up
trap 'kill -TERM "$daemon"' TERM
"$@" &
daemon=$!
# The first wait ends with a signal, the second with the daemon; bash collects what is orphaned.
code=0
wait "$daemon" || code=$?
while kill -0 "$daemon" 2>/dev/null; do wait "$daemon" || code=$?; done
exit "$code"
INIT
  cat >"$folder/on-head" <<EOF_HEAD
#!/usr/bin/env bash
read -r pid _ <"$folder/run/head"
exec nsenter --target "\$pid" --net --uts --mount --pid --wd="\$PWD" -- \\
  env SLURM_CONF="$folder/etc/slurm.conf" "\$@"
EOF_HEAD
  chmod 755 "$folder/init" "$folder/on-head"
}

start_munge() {
  recorded munged >/dev/null && return
  if [[ ! -s $folder/munge/key ]]; then
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge/key")
  fi
  rm -f "$folder/munge/socket" "$folder/munge/socket.lock"
  munged --force --num-threads=2 --key-file="$folder/munge/key" \
    --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/log/munged.log" --seed-file="$folder/munge/seed" \
    >"$folder/log/munged.out" 2>&1 || fail "munged: $(tail -n 3 "$folder/log/munged.out")"
  within 5 test -s "$folder/munge/pid" || fail "munged did not start"
  record munged "$(<"$folder/munge/pid")"
}

# start_member NAME ADDRESS DAEMON...: a namespace with its daemon; its init is recorded.
start_member() {
  local name=$1 outer
  setsid unshare --net --uts --mount --pid --ipc --fork --kill-child --mount-proc \
    "$folder/init" "$@" </dev/null >>"$folder/log/$name.out" 2>&1 &
  outer=$!
  within 5 first_child "$outer" || fail "no namespace for $name: $(tail "$folder/log/$name.out")"
  record "$name" "$child"
}

# Sets child.
first_child() {
  child=
  read -r child _ <"/proc/$1/task/$1/children" || true
  [[ -n $child ]]
} 2>/dev/null

start_head() {
  recorded head >/dev/null && return
  start_member head "$head_address" slurmctld -D -i -f "$folder/etc/slurm.conf"
  within 5 in_head_network ip link show br0 || fail "the head has no network"
}

in_head_network() { nsenter --target "$(recorded head)" --net -- "$@" >/dev/null 2>&1; }

start_node() {
  local number=${1#n}
  recorded "$1" >/dev/null && return
  # A node that comes back finds what it left on its disk, as real ones do.
  mkdir -p "$folder/spool/$1" "$folder/tmp/$1"
  chmod 1777 "$folder/tmp/$1"
  # Of an earlier life; it goes by itself, but later than the node.
  in_head_network ip link delete "v$number" || true
  start_member "$1" "$network.$number" slurmd -D -N "$1" -f "$folder/etc/slurm.conf"
  # Always the same hardware address: the others remember it.
  in_head_network ip link add "v$number" type veth \
    peer name eth0 address "02:77:00:00:00:$(printf %02x "$number")" netns "$child" ||
    fail "no network for $1"
  in_head_network ip link set "v$number" master br0 up || fail "no bridge for $1"
}

all_nodes_answer() {
  local up
  up=$("$folder/on-head" sinfo --noheader --Node --partition=batch --format='%N %t' 2>/dev/null |
    grep -cE ' (idle|mix|alloc|comp)$') || true
  [[ $up == "$nodes" ]]
}

wait_for_nodes() {
  within 40 all_nodes_answer && return
  "$folder/on-head" sinfo --Node --long >&2 || true
  tail -n 5 "$folder"/log/* >&2
  fail "not all of $nodes nodes answer"
}

start() {
  mkdir -p "$folder"/{munge,etc,state,log,run,spool,tmp}
  chmod 755 "$folder"
  chmod 700 "$folder/state" "$folder/munge"
  echo "$nodes $cpus" >"$folder/size"
  write_configuration
  write_programs
  start_munge
  start_head
  revive
}

revive() {
  local node
  for ((node = 1; node <= nodes; ++node)); do start_node "n$node"; done
  wait_for_nodes
}

crash() {
  local pid
  pid=$(recorded "$1") || fail "$1 is not running"
  kill -KILL "$pid"
  within 5 eval "! is_running $pid" || fail "$1 does not die"
  rm -f "$folder/run/$1"
}

# Nothing is asked to end: all that a namespace holds, jobs included, ends with its first process.
stop() {
  local file pid
  for file in "$folder"/run/head "$folder"/run/n[0-9]* "$folder"/run/munged; do
    if pid=$(recorded "${file##*/}"); then
      kill -KILL "$pid"
      within 5 eval "! is_running $pid" || fail "${file##*/} (process $pid) does not end"
    fi
    rm -f "$file"
  done
}

# A test program that is killed cannot stop its cluster.
guard() {
  while is_running "$1"; do sleep 1; done
  stop
  [[ ! -d $folder/run ]] || rm -rf -- "$folder"
}

(($# > 0)) || fail "usage: cluster.sh probe | start | crash | revive | stop FOLDER ..."
action=$1
shift
if [[ $action == probe ]]; then
  probe
  exit 0
fi
(($# > 0)) || fail "$action needs a folder"
folder=$(realpath -m "$1")
shift
case $action in
  start)
    nodes=${1:-4}
    cpus=${2:-4}
    start
    ;;
  crash | revive)
    read -r nodes cpus <"$folder/size"
    "$action" "$@"
    ;;
  guard)
    setsid "$0" watch "$folder" "$1" </dev/null >/dev/null 2>&1 &
    ;;
  watch) guard "$1" ;;
  stop) stop ;;
  *) fail "unknown action '$action'" ;;
esac
