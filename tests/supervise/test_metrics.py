"""`fitguard run --metrics`, over real HTTP."""

import json
import re
import urllib.request
from pathlib import Path

from monitor.prometheus.test_serving import make_run, scrape
from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent

DASHBOARD = Path(__file__).parents[2] / "examples" / "grafana.json"


def test_a_run_serves_its_metrics_and_goes_on_where_it_cannot(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, metrics=["127.0.0.1", 0])
    parent.until("step 5")
    address = wait_for(lambda: re.search(r"http://127.0.0.1:(\d+)/metrics", parent.err))
    with urllib.request.urlopen(address[0], timeout=60) as answer:
        text = answer.read().decode()
    assert f'run="{parent.run_folder.name}",state="running"}} 1.0' in text
    assert "fitguard_attempts_total" in text
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "enough").touch()
    second = Parent(tmp_path / "second", UNTIL_TOLD, metrics=["127.0.0.1", int(address[1])])
    assert second.ended() == 0
    assert "cannot be served: Address already in use." in second.err
    (tmp_path / "enough").touch()
    assert parent.ended() == 0


def test_the_dashboard_asks_for_what_is_served(tmp_path):
    dashboard = json.loads(DASHBOARD.read_text())
    served = scrape(make_run(tmp_path / "night-1"))
    known = set(re.findall(r"^(fitguard_\w+)[{ ]", served, re.MULTILINE))
    asked = set(re.findall(r"fitguard_\w+", json.dumps(dashboard["panels"])))
    assert asked <= known
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(numbers)) == len(numbers)
    corners = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(corners)) == len(corners)
