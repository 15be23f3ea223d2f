#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:1
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=USR1@120

# The first start and every one after it. The name stays the same when the job is queued again.
srun fitguard run --resume=auto --name "job-$SLURM_JOB_ID" --preempt-signal USR1 \
    --grace-seconds 100 train.py
code=$?

[ "$code" -eq 75 ] && exec scontrol requeue "$SLURM_JOB_ID"
exit "$code"
