"""The elements of drawings. Across, 1000 units are the whole width, however wide the page is.

Heights are pixels. So words keep their size on a telephone, and nothing scrolls sideways.
"""

from fitguard.report.blocks import Shape

LEFT, RIGHT = 0, 1000

Point = tuple[float, float]


def across(x: float) -> str:
    """A place or a width as SVG takes it: in percent of the drawing."""
    return f"{x / 10:.2f}%"


def upright(kind: str, x: float, top: float, bottom: float, tip: str = "") -> Shape:
    """A line from the top down."""
    at: dict[str, str | float] = {"x1": across(x), "x2": across(x), "y1": top, "y2": bottom}
    return Shape("line", kind, at, tip=tip)


def level(kind: str, y: float) -> Shape:
    """A line over the whole width."""
    return Shape("line", kind, {"x1": "0", "x2": "100%", "y1": y, "y2": y})


def box(kind: str, x: float, width: float, top: float, height: float, tip: str = "") -> Shape:
    """A rectangle."""
    at: dict[str, str | float] = {"x": across(x), "width": across(width)}
    return Shape("rect", kind, at | {"y": top, "height": height}, tip=tip)


def trace(kind: str, path: str) -> Shape:
    """A line or an area as SVG writes it, in units."""
    return Shape("path", kind, {"d": path})


def dot(kind: str, x: float, y: float, radius: float = 3) -> Shape:
    """A disc."""
    return Shape("circle", kind, {"cx": across(x), "cy": y, "r": radius})


def words(kind: str, x: float, y: float, said: str, anchor: str = "start", tip: str = "") -> Shape:
    """Words at a place."""
    at: dict[str, str | float] = {"x": across(x), "y": y, "text-anchor": anchor}
    return Shape("text", kind, at, said, tip)
