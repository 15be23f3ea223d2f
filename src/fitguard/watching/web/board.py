"""What the page shows: all runs of a folder in a row each, and one of them whole."""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from fitguard.monitor.run_folder import RunFolder
from fitguard.report.blocks import Block, Pairs, Paragraph, Section, Table, Verdict, plain
from fitguard.report.formats.html import show_blocks
from fitguard.report.privacy.redaction import clean, clean_strings, redact_here
from fitguard.report.registry import build_page
from fitguard.report.rows.watch_rows import overview_table, say_state
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.run import Run
from fitguard.schema.watch import Watch
from fitguard.supervise.past_runs import read_run
from fitguard.supervise.runs import find_runs
from fitguard.watching.glance import Glance
from fitguard.watching.kept import Kept

MOST_RUNS = 20
LONGEST_QUOTATION = 1000
_LIST_SECONDS = 5.0


class Board:
    """Fragments of the page, for any number of readers.

    Args:
        runs_folder: Whose runs are shown: the newest.
        run: The id of the run that is shown whole where no other is asked for, however old.
        seconds: Between two looks; pictures are drawn anew after five times as long.
        trust_folder: Read them though others own a folder or may write to it.
        show_private: Keep home folders, user and host names.
    """

    def __init__(
        self,
        runs_folder: Path,
        run: str,
        *,
        seconds: float = 1.0,
        trust_folder: bool = False,
        show_private: bool = False,
    ) -> None:
        self._folder = runs_folder
        self.run = run
        self.seconds = seconds
        self._trust_folder = trust_folder
        self._show_private = show_private
        self._lock = threading.Lock()
        self._glances: dict[str, Glance] = {}
        self._names = Kept(self._list_names, _LIST_SECONDS)
        self._moments = Kept(self._look_at_all, seconds)
        self._pictures: dict[str, Kept[dict[str, str]]] = {}

    def has(self, run: str) -> bool:
        """Whether there is such a run."""
        with self._lock:
            return run in self._names.get()

    def show(self, run: str, link: Callable[[str], str]) -> tuple[str, dict[str, str]]:
        """The title of the page, and its parts by name.

        Args:
            run: The id of the run that is shown whole.
            link: From an id to the address where that one is shown.
        """
        with self._lock:
            moments = self._moments.get()
            chosen = moments.get(run)
            table = overview_table(moments.values(), run, link)
            parts = _name_parts("all", [Section("Runs", (table,))] if len(moments) > 1 else [])
            if chosen is None:
                return "fitguard watch", parts | _name_parts("gone", [self._say_gone(run)])
            parts |= _name_parts("now", self._build_moment(chosen)) | self._draw(run)
            return f"{say_state(chosen)} · {clean(run)}", parts

    def _list_names(self) -> list[str]:
        found = itertools.islice(find_runs(self._folder), MOST_RUNS)
        return list(dict.fromkeys([*(known.folder.id for known in found), self.run]))

    def _look_at_all(self) -> dict[str, Watch]:
        """Each that can be read, by the name of its folder; those that run first."""
        names = self._names.get()
        self._glances = {name: self._glances.get(name) or self._open(name) for name in names}
        self._pictures = {name: kept for name, kept in self._pictures.items() if name in names}
        moments = {}
        for name, glance in self._glances.items():
            # One that cannot be read, or is gone, is not listed; who has chosen it is told.
            with contextlib.suppress(UnreadableInput):
                moments[name] = self._prepare(glance.look())
        running_first = sorted(moments.items(), key=lambda one: one[1].state != "running")
        return dict(running_first)

    def _open(self, name: str) -> Glance:
        return Glance(RunFolder(self._folder / name), trust_folder=self._trust_folder)

    def _prepare(self, document: Watch) -> Watch:
        shown = document if self._show_private else redact_here(document)
        # The links ask for the name of the folder, also where it looks like that of a user.
        return clean_strings(msgspec.structs.replace(shown, id=document.id))

    def _build_moment(self, moment: Watch) -> Iterator[Block]:
        """The page of `fitguard watch`, without what the page of the run tells better."""
        page = build_page(msgspec.structs.replace(moment, decisions=()), LONGEST_QUOTATION)
        if page.verdict:
            yield page.verdict
        yield from page.blocks

    def _draw(self, run: str) -> dict[str, str]:
        if run not in self._pictures:
            self._pictures[run] = Kept(lambda: self._draw_anew(run), 5 * self.seconds)
        return self._pictures[run].get()

    def _draw_anew(self, run: str) -> dict[str, str]:
        """The page of `fitguard report`, without what the moment tells better."""
        try:
            document = read_run(self._folder / run, trust_folder=self._trust_folder)
        except UnreadableInput as error:
            return _name_parts("run", [Paragraph(clean(str(error)), tone="error")])
        # A link to a trace would lead nowhere: the page is not in the folder of the run.
        profiles = tuple(
            msgspec.structs.replace(one, text=f"{one.text}. Trace: {one.folder}", folder="")
            for one in document.profiles
        )
        document = msgspec.structs.replace(document, alerts=(), output=(), profiles=profiles)
        shown: Run = document if self._show_private else redact_here(document)
        blocks = build_page(shown, LONGEST_QUOTATION).blocks
        return _name_parts("run", (one for one in blocks if not isinstance(one, Pairs)))

    def _say_gone(self, run: str) -> Block:
        try:
            self._open(run).look()
        except UnreadableInput as error:
            return Paragraph(clean(str(error)), tone="error")
        return Paragraph(f"{clean(run)} is not among the {MOST_RUNS} newest runs.", tone="error")


def _name_parts(prefix: str, blocks: Iterable[Block]) -> dict[str, str]:
    """Each block under a name that stays the same while its content changes."""
    listed = list(blocks)
    named: dict[str, str] = {}
    for block, html in zip(listed, show_blocks(listed), strict=True):
        name = f"{prefix} {_title(block)}"
        while name in named:
            name += "+"
        named[name] = html
    return named


def _title(block: Block) -> str:
    match block:
        case Section(title=title):
            return plain(title)
        case Table(headers=headers):
            return headers[0] if headers else ""
        case Verdict():
            return "verdict"
    return type(block).__name__
