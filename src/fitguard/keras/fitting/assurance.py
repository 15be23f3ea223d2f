"""Whether all that the guard stands on is there; what is not is said, at once and aloud."""

import platform

from fitguard.contract.hooks import NOT_OF_RUNS, OF_WORKERS, Role, Service
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Patches
from fitguard.contract.verifying import Fault, tensorflow_here, verify
from fitguard.keras.refused import Refused
from fitguard.keras.session import Session
from fitguard.knowledge.supported import judge_versions, proven_versions
from fitguard.schema.journal import INEXACT, UNGUARDED


class Assurance:
    """The hooks of this process, compared with what was expected of them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._patches = Patches({})
        self._faults: dict[Library, list[Fault]] = {}

    def watch(self, patches: Patches) -> None:
        """From now on, by what these see."""
        self._patches = patches

    def on_loaded(self, library: Library) -> None:
        """The script has loaded a Keras: where its `fit` is not found, nobody will call us."""
        for fault in self._find_faults(library):
            if fault.hook.role is Role.FIT and not fault.usable:
                self.lacks(fault.sentence)

    def guards(self, library: Library, *, workers: bool = False) -> bool:
        """Whether a `fit` of this library can be guarded; why not, and what else is missing.

        Args:
            workers: It may be one of several that train together.
        """
        tensorflow = tensorflow_here().version
        python = platform.python_version()
        outside = judge_versions(tensorflow, library.package, library.version, python)
        if outside:
            self._session.note("version", outside)
        for fault in self._find_faults(library):
            if fault.hook.service in OF_WORKERS and not workers:
                continue
            if fault.hook.service is Service.MEMORY_LIMIT and not self._is_limited:
                continue
            harmless = fault.usable or fault.hook.service in (*NOT_OF_RUNS, *OF_WORKERS)
            (self._tell if harmless else self.lacks)(fault.sentence)
        return not self._without(library, Service.FIT)

    def why_whole(self, library: Library) -> str:
        """Why batches cannot be split with this library; empty where they can."""
        return next((fault.why for fault in self._without(library, Service.MICRO_BATCHES)), "")

    def first_step_done(self, library: Library) -> None:
        """By now each hook that a step needs must have been called."""
        uncalled = self._patches.find_uncalled(library)
        if uncalled:
            self.not_called(", ".join(hook.name for hook in uncalled), library)

    def not_called(self, what: str, library: Library) -> None:
        """Keras trains in another way than it did."""
        self.lacks(f"{Service.FIT}, because {library} took its first step without calling {what}")

    def lacks(self, sentence: str) -> None:
        """Say what is missing in this version of Keras."""
        self.tell(f"{sentence}. fitguard was proven with {proven_versions()}")

    def tell(self, sentence: str) -> None:
        """Say what is not guarded; under `--require-guard` that is the end."""
        self._tell(sentence)
        if self._session.orders.require_guard:
            raise Refused("--require-guard was given, and not all of this training is guarded.")

    def tell_inexact(self, sentences: list[str], fit: int, *, resumed: bool) -> None:
        """Say what may make the result differ.

        Args:
            resumed: The training goes on from a snapshot: under `--exact-only` that is the end.
        """
        for sentence in sentences:
            self._session.note(INEXACT, sentence, fit=fit)
        if sentences and resumed and self._session.orders.exact_only:
            raise Refused(
                f"--exact-only was given, and {sentences[0].rstrip('.')}. The snapshots stay: "
                "without --exact-only, the training goes on from them."
            )

    @property
    def _is_limited(self) -> bool:
        return self._session.orders.memory_limit_bytes is not None

    def _tell(self, sentence: str) -> None:
        self._session.note(UNGUARDED, sentence)

    def _find_faults(self, library: Library) -> list[Fault]:
        if library not in self._faults:
            self._faults[library] = verify(library)
        return self._faults[library]

    def _without(self, library: Library, service: Service) -> list[Fault]:
        return [
            fault
            for fault in self._find_faults(library)
            if fault.hook.service is service and not fault.usable
        ]
