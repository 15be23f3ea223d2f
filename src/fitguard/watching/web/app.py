"""The addresses: `/` is the page, `/stream` what is new on it; both need the token."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from fitguard.report.formats.html import to_live_page
from fitguard.watching.web.board import Board

MOST_STREAMS = 32
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def build_app(board: Board, token: str) -> Starlette:
    """The application.

    Args:
        token: The word without which nothing is shown.
    """
    pages = _Pages(board, token)
    return Starlette(routes=[Route("/", pages.show), Route("/stream", pages.stream)])


class _Pages:
    def __init__(self, board: Board, token: str) -> None:
        self._board = board
        self._token = token
        self._streams = 0

    async def show(self, request: Request) -> Response:
        """The page, as it is now."""
        if (refusal := await self._refuse(request)) is not None:
            return refusal
        run = self._find_run(request)
        title, parts = await run_in_threadpool(self._board.show, run, self._link)
        nonce = secrets.token_urlsafe(16)
        page = to_live_page(parts, title=title, stream=f"stream{self._link(run)}", nonce=nonce)
        policy = {"Content-Security-Policy": _POLICY.format(nonce=nonce)}
        return HTMLResponse(page.encode(errors="replace"), headers=_HEADERS | policy)

    async def stream(self, request: Request) -> Response:
        """Server-sent events, one for each look."""
        if (refusal := await self._refuse(request)) is not None:
            return refusal
        if self._streams >= MOST_STREAMS:
            return PlainTextResponse(
                f"{MOST_STREAMS} pages are open already. Close one of them.\n", 503, _HEADERS
            )
        events = self._write_events(self._find_run(request))
        return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)

    async def _write_events(self, run: str) -> AsyncIterator[bytes]:
        self._streams += 1
        sent: dict[str, str] = {}
        try:
            while True:
                title, parts = await run_in_threadpool(self._board.show, run, self._link)
                changed = [
                    (place, html)
                    for place, (name, html) in enumerate(parts.items())
                    if sent.get(name) != html
                ]
                sent = parts
                news = {
                    "title": title,
                    "time": time.strftime("%H:%M:%S"),
                    "names": list(parts),
                    "changed": changed,
                }
                yield b"event: page\ndata: " + msgspec.json.encode(news) + b"\n\n"
                await asyncio.sleep(self._board.seconds)
        finally:
            self._streams -= 1

    async def _refuse(self, request: Request) -> Response | None:
        given = request.query_params.get("token", "")
        if not secrets.compare_digest(given.encode(errors="replace"), self._token.encode()):
            return PlainTextResponse(
                "The token in the address is missing or wrong. Open the address that "
                "`fitguard watch --web` has printed.\n",
                403,
                _HEADERS,
            )
        run = self._find_run(request)
        if not await run_in_threadpool(self._board.has, run):
            return PlainTextResponse("There is no such run in this folder.\n", 404, _HEADERS)
        return None

    def _find_run(self, request: Request) -> str:
        return request.query_params.get("run") or self._board.run

    def _link(self, run: str) -> str:
        return f"?{urlencode({'token': self._token, 'run': run}, errors='replace')}"
