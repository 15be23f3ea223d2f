"""Published rates of faults of GPUs in training, with the uncertainty of a count.

- Llama 3 (Meta, 2024, "The Llama 3 Herd of Models", table 5): 419 unexpected interruptions in 54
  days on 16,384 H100. That is one in 5.8 years of a GPU. A count of 419 has a standard error of
  5 %, but it is one cluster, one job, and one operator: take a factor of 2 either way.
- Delta (NCSA, arXiv 2503.11901, 2025): 1,056 A100 and H100, 11.7 million GPU hours in 2.5 years;
  errors of GPUs frequently end the job, and 5 % more nodes are needed to make up for failures. Used
  here for the time that a failed card is away: its share, not its distribution.

What is not published for trainings of this size is an assumption, and is marked so.
"""

HOURS = 3600.0
LLAMA_INTERRUPTIONS = 419
LLAMA_DAYS = 54
LLAMA_GPUS = 16_384

FAULTS_PER_GPU_SECOND = LLAMA_INTERRUPTIONS / (LLAMA_DAYS * 24 * HOURS * LLAMA_GPUS)
AWAY_SECONDS = 4 * HOURS
"""Assumption: from the fault of a card until it has passed a probe or was replaced."""
