#!/bin/bash
#SBATCH --job-name=fleet
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@180

# A Ray cluster for the time of the job. Once before: ray get-auth-token --generate
export RAY_AUTH_MODE=token
port=$((20000 + SLURM_JOB_ID % 10000))
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --nodes=1 --ntasks=1 -w "$head" ray start --head --port="$port" --block &
until (: <"/dev/tcp/$head/$port") 2>/dev/null; do kill -0 $! || exit 1; sleep 1; done
others=$((SLURM_NNODES - 1))
[ "$others" -gt 0 ] && srun --nodes="$others" --ntasks="$others" -x "$head" \
    ray start --address="$head:$port" --block &

fitguard fleet run jobs.yaml --address "$head:$port" --storage /shared/runs \
    --nodes "$SLURM_NNODES" &
fleet=$!
trap 'kill -TERM $fleet' TERM
wait $fleet
code=$?
[ "$code" -gt 128 ] && { wait $fleet; code=$?; }

[ "$code" -eq 75 ] && exec scontrol requeue "$SLURM_JOB_ID"
exit "$code"
