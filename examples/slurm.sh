#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:1
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@120

resume=()
[ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && resume=(--resume)

# bash runs its trap only after a foreground command has ended, so fitguard runs in the background.
fitguard run --grace-seconds 100 "${resume[@]}" train.py &
trap 'kill -TERM $!' TERM
wait $!
code=$?
while kill -0 $! 2>/dev/null; do wait $!; code=$?; done

[ "$code" -eq 75 ] && exec scontrol requeue "$SLURM_JOB_ID"
exit "$code"
