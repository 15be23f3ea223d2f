"""`fitguard watch --web`: the same in a browser.

    board.py          what the page shows, as fragments of HTML by name
    app.py            the addresses: the page, and the stream of what is new on it
    serving.py        a socket, a server, until Ctrl-C

The page needs no network but the loopback: style and script are in it.
"""
