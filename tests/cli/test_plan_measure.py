"""`fitguard plan --measure` where no GPU can be used."""

from cli.process import fitguard


def test_it_is_told_before_the_script_runs(tmp_path):
    (tmp_path / "train.py").write_text("raise SystemExit('the script was run')")
    run = fitguard("plan", "train.py", "--measure", cwd=tmp_path, CUDA_VISIBLE_DEVICES="-1")
    assert run.returncode == 2, run.stderr
    assert "Received measure=True, which needs a GPU, and " in run.stderr
    assert "the script was run" not in run.stderr
    assert run.stdout == ""
