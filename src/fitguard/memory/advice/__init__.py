"""What a user can do about a step that needs too much, each with what it gives for this model."""

from fitguard.memory.advice.advising import Advised, advise
from fitguard.memory.advice.micro_batch import micro_batch_size
from fitguard.memory.advice.question import Question
from fitguard.memory.advice.shortage import find_shortage

__all__ = ["Advised", "Question", "advise", "find_shortage", "micro_batch_size"]
