# Settings of the site: change them here once, for all scripts of this folder. Every job reads this
# file, and submit-array.sh does; for a plain sbatch, read it yourself first: source slurm/site.sh
# shellcheck shell=bash disable=SC2034 # used by those that read this

# Where jobs go. sbatch takes these from the environment; an option on its command line wins.
#export SBATCH_ACCOUNT=my-project
#export SBATCH_PARTITION=standard

# What brings the program and its libraries.
#module load openmpi hdf5
#module use /opt/modulefiles && module load scalesweep

# The program, where it is not on the PATH.
SCALESWEEP=${SCALESWEEP:-scalesweep}

# What starts the ranks: srun (with PMIx), mpirun, or auto: srun where `srun --mpi=list` has PMIx.
launcher=${SCALESWEEP_LAUNCHER:-auto}
srun_options=(--mpi=pmix --kill-on-bad-exit=1)
mpirun_options=()

# For `scalesweep analyze` behind a finished study: --no-figures, ...
analyze_options=()

# How often a job puts itself back into the queue before it leaves that to you.
max_restarts=20

# A folder of the node itself for what MPI keeps while it runs, if /tmp is small. The study does not
# go there: all nodes have to see it, and it has to outlive the job.
#export TMPDIR=/local/scratch

# MPI. Open MPI over Ethernet: which interface joins the nodes.
#export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0

# Some file systems cannot lock files: if HDF5 complains about locks.
#export HDF5_USE_FILE_LOCKING=FALSE
