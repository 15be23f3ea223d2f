"""What the page shows, without a server: which runs, and what of them."""

from watching.made_folder import BEGAN, make_folder

from fitguard.watching.web.board import MOST_RUNS, Board


def test_an_old_run_that_was_asked_for_is_shown_beside_the_newest(tmp_path):
    for number in range(MOST_RUNS + 2):
        began = BEGAN + 1000 * number
        make_folder(tmp_path / f"20251115-1000{number:02}-a-aaaa", seconds=10, began=began)
    oldest, second = "20251115-100000-a-aaaa", "20251115-100001-a-aaaa"
    board = Board(tmp_path, oldest)
    assert (board.has(oldest), board.has(second)) == (True, False)
    title, parts = board.show(oldest, str)
    assert title == f"Finished: epoch 1 of 50, step 40 of 400 · {oldest}"
    assert parts["all Runs"].count("<tr>") == 1 + MOST_RUNS + 1


def test_one_run_needs_no_table_of_runs(tmp_path):
    make_folder(tmp_path / "run", seconds=10)
    assert "all Runs" not in Board(tmp_path, "run").show("run", str)[1]


def test_private_names_go_out_unless_they_are_wanted(tmp_path):
    make_folder(tmp_path / "run", seconds=10, output="reading /home/ann/data\n")
    pages = [
        "".join(Board(tmp_path, "run", show_private=shown).show("run", str)[1].values())
        for shown in (False, True)
    ]
    assert ["/home/ann/data" in page for page in pages] == [False, True]


def test_a_folder_that_others_may_write_to_is_not_shown(tmp_path):
    make_folder(tmp_path / "run", seconds=10).path.chmod(0o777)
    _, parts = Board(tmp_path, "run").show("run", str)
    (said,) = parts.values()
    assert "everybody may write to it" in said
    assert "now verdict" in Board(tmp_path, "run", trust_folder=True).show("run", str)[1]
