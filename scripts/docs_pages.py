"""A hook of mkdocs: writes the pages that come out of the code itself.

- `codes.md` and one page for each code, from the docstrings of checks and detectors;
- `causes.md` and one page for each cause of a crash, likewise;
- one page for each probe, likewise, and a table of them where a page says `<!-- probes -->`;
- `releases.md`, from the knowledge tables;
- `contributing/index.md`, which is CONTRIBUTING.md;
- the commands, with the question that each answers, where a page says `<!-- commands -->`;
- the options of a command wherever a page says `<!-- options: doctor -->`, from its docstring;
- the codes of a group where a page says `<!-- codes: FG6 -->`, and those of detectors where it says
  `<!-- detectors -->`;
- what is harmless in a log where a page says `<!-- harmless -->`, from the signatures;
- what is tried after a crash where a page says `<!-- policy -->`, from the table of the policy, and
  a row of it as it is written where a page says `<!-- policy row: hang -->`;
- the versions that are supported where a page says `<!-- supported -->`, from their table.
"""

import html
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from fitguard.causes.framework.registry import Cause, all_causes
from fitguard.checks.fixes.installs import pythons_text
from fitguard.checks.framework.registry import Check, all_checks, find_check
from fitguard.cli.main import app
from fitguard.knowledge import knowledge, supported
from fitguard.knowledge.log_signatures import Signature
from fitguard.knowledge.policy import Remedy
from fitguard.knowledge.tensorflow import Release
from fitguard.monitor.detectors.framework.registry import Detector, all_detectors
from fitguard.probes.registry import all_probes
from fitguard.report.rows.excerpt import telling_part
from fitguard.report.rows.run_words import OUTCOMES

_TREE = Path(__file__).resolve().parent.parent
_GROUPS = {
    "FG1": "Installation",
    "FG2": "CUDA and cuDNN",
    "FG3": "GPU, driver, kernel",
    "FG4": "GPU memory",
    "FG5": "Training",
    "FG6": "Data",
    "FG7": "Host and container",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {"codes.md": _codes(), "causes.md": _causes(), "releases.md": _releases()}
    pages["contributing/index.md"] = _contributing()
    for coded in _list_coded().values():
        pages[f"codes/{coded.code}.md"] = _page(coded)
    for cause in all_causes().values():
        pages[f"causes/{cause.slug}.md"] = _cause_page(cause)
    for probe in all_probes().values():
        pages[f"probes/{probe.name}.md"] = (
            f"# {probe.name}\n\n**{probe.summary}**\n\n{probe.page}\n"
        )
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Put what comes out of the code where a page asks for it."""
    up = "../" * page.file.src_uri.count("/")
    if "<!-- matrix -->" in markdown:
        markdown = _breakable(markdown)
    if "<!-- commands -->" in markdown:
        markdown = markdown.replace("<!-- commands -->", _commands())
    if "<!-- detectors -->" in markdown:
        table = _build_table(all_detectors().values(), up)
        markdown = markdown.replace("<!-- detectors -->", table)
    if "<!-- probes -->" in markdown:
        markdown = markdown.replace("<!-- probes -->", _list_probes(up))
    if "<!-- harmless -->" in markdown:
        markdown = markdown.replace("<!-- harmless -->", _harmless())
    if "<!-- policy -->" in markdown:
        markdown = markdown.replace("<!-- policy -->", _policy(up))
    if "<!-- supported -->" in markdown:
        markdown = markdown.replace("<!-- supported -->", _supported())
    markdown = re.sub(r"<!-- policy row: ([\w-]+) -->", lambda match: _row(match[1]), markdown)
    markdown = re.sub(r"<!-- codes: (\w+) -->", lambda match: _code_table(match[1], up), markdown)
    return re.sub(r"<!-- options: (\w+) -->", lambda match: _options(match[1]), markdown)


def _breakable(markdown: str) -> str:
    """The table of the matrix is wide: long names may break, dates may not."""
    joint = re.compile(r"(\\_|(?<=[a-z])\.)(?=\w)")
    markdown = re.sub(r"\*\*red\*\*[^|]*", lambda red: joint.sub(r"\1<wbr>", red[0]), markdown)
    markdown = markdown.replace(".dev2", ".<wbr>dev2")
    return re.sub(r"(\d{4})-(\d\d)-(\d\d) \|", "\\1\u2011\\2\u2011\\3 |", markdown)


def _commands() -> str:
    """Each with the first line of its help."""
    names = [name for name in app if not name.startswith("-")]
    rows = [f"| [`{name}`]({name}.md) | {app[name].help.splitlines()[0]} |" for name in names]
    return "\n".join(["| Command | What it answers |", "| --- | --- |", *rows])


def _options(command: str) -> str:
    documentation = app[command].generate_docs()
    options = documentation.partition("**Parameters**:")[2]
    return re.sub(r" \*\[default: [^]]*\]\*", "", options).strip()


def _list_coded() -> dict[str, Check | Detector]:
    return dict(sorted({**all_checks(), **all_detectors()}.items()))


def _list_probes(up: str) -> str:
    rows = [
        f"| [`{probe.name}`]({up}probes/{probe.name}.md) | {probe.level} | {probe.summary} |"
        for probe in all_probes().values()
    ]
    return "\n".join(["| Probe | Level | What it tries |", "| --- | --- | --- |", *rows])


def _page(check: Check | Detector) -> str:
    page = check.page.replace("](versions.md)", "](../versions.md)")
    return f"# {check.code} {check.slug}\n\n**{check.summary}**\n\n{page}\n"


def _cause_page(cause: Cause) -> str:
    text = f"# {cause.slug}\n\n**{cause.summary}**\n\n{cause.page}\n"
    if same := find_check(cause.slug):
        text += f"\nThe doctor checks for it: [{same.code}](../codes/{same.code}.md).\n"
    return text


def _causes() -> str:
    lines = [
        "# Causes",
        "",
        "The reasons that `fitguard explain` can give for a run that died. `fitguard explain NAME` "
        "prints the same page in your terminal.",
        "",
        "| Cause | What happened |",
        "| --- | --- |",
        *(f"| [{cause.slug}](causes/{cause.slug}.md) | {cause.summary} |"
          for cause in all_causes().values()),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _harmless() -> str:
    return "\n".join(
        f"- {signature.meaning}<br><code>{_example(signature)}</code>"
        for signature in knowledge().signatures.all
        if signature.role == "noise"
    )


def _policy(up: str) -> str:
    rows = knowledge().policy.table.rows
    lines = ["| Cause | What fitguard tries, in this order |", "| --- | --- |"]
    for row in rows:
        tried = "<br>".join(f"{n}. {_remedy(one)}" for n, one in enumerate(row.tries, 1))
        if tried or row.like:
            ended = f",<br>{OUTCOMES[row.outcome]}" if row.outcome else ""
            ended += ",<br>another worker failed first" if row.fallout else ""
            what = tried or f"the same as for {_link(row.like, up)}"
            lines.append(f"| {_link(row.cause, up)}{ended} | {what} |")
    at_once = ", ".join(
        _link(row.cause, up) + (f" ({OUTCOMES[row.outcome]})" if row.outcome else "")
        for row in rows
        if not (row.tries or row.like)
    )
    return "\n".join([*lines, "", f"These stop at once and tell you what to do: {at_once}."])


def _row(cause: str) -> str:
    table = (_TREE / "src/fitguard/knowledge/tables/policy.toml").read_text(encoding="utf-8")
    rows = [block.strip() for block in table.split("\n\n") if block.startswith("[[rows]]")]
    return next(row for row in rows if f'cause = "{cause}"' in row)


def _contributing() -> str:
    text = (_TREE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.replace("](docs/", "](../")


def _supported() -> str:
    rows = supported.table().rows
    return "\n".join(f"- {row.name} {row.oldest} to {row.newest}" for row in rows)


def _link(cause: str, up: str) -> str:
    return f"[{cause}]({up}causes/{cause}.md)"


def _remedy(remedy: Remedy) -> str:
    text = remedy.action.replace("-", " ")
    text += f", up to {remedy.times} times" if remedy.times > 1 else ""
    text += "".join(f" (`{name}={value}`)" for name, value in remedy.environment.items())
    text += f" (only with `--allow {remedy.action}`)" if remedy.changes_results else ""
    return text


def _example(signature: Signature) -> str:
    return html.escape(telling_part(signature.examples[0].split("\n")[0], 200))


def _codes() -> str:
    lines = [
        "# Codes",
        "",
        "Every finding of the doctor and of `fitguard data` has a code, and every alert while a "
        "training runs. A code never changes its meaning. `fitguard explain CODE` prints the same "
        "page in your terminal.",
    ]
    for prefix, title in _GROUPS.items():
        lines += ["", f"## {title}", "", _code_table(prefix)]
    return "\n".join(lines) + "\n"


def _code_table(prefix: str, up: str = "") -> str:
    group = [coded for code, coded in _list_coded().items() if code.startswith(prefix)]
    return _build_table(group, up)


def _build_table(group: Iterable[Check | Detector], up: str) -> str:
    rows = [
        f"| [{one.code}]({up}codes/{one.code}.md) | {one.slug} | {one.summary} |" for one in group
    ]
    return "\n".join(["| Code | Name | What is wrong |", "| --- | --- | --- |", *rows])


def _releases() -> str:
    table = knowledge().tensorflow.table
    lines = [
        "---\nhide: [toc]\n---\n",
        "# TensorFlow releases",
        "",
        f"What each release was built with, as of {table.date}. Sometimes the documentation of "
        "TensorFlow names another version than the build itself. Then the build counts, and the "
        "documented version stands in parentheses. A question mark means: not known for sure.",
        "",
        "| TensorFlow | Python | CUDA | cuDNN | GPU code for | PTX for | GPU package |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cells, group in groupby(knowledge().tensorflow.all, key=_cells):
        versions = [release.version for release in group]
        shown = versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"
        lines.append(f"| {shown} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cells(release: Release) -> tuple[str, ...]:
    cudnn = release.cudnn + ("?" if release.cudnn_uncertain else "")
    if not release.cudnn.startswith(release.cudnn_documented):
        cudnn += f" ({release.cudnn_documented})"
    return (
        pythons_text(release),
        release.cuda,
        cudnn,
        ", ".join(release.sass),
        ", ".join(release.ptx),
        f"`{release.gpu_package}`",
    )
