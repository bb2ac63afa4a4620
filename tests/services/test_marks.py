"""What does a crawl know from its user? What is said of its pages, and of no others; what it counted itself stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import services
from shoal.crawl.coordinator import Coordinator
from shoal.errors import FolderError, InputError
from shoal.services import marks
from shoal.settings import Budget
from tests.crawl.simulated import Simulation, hosts


def test_marks_leave_the_figures_of_the_running_crawl_alone(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, hosts(9), workers=1, budget=Budget(max_pages=5))
    crawl.run()
    marks.mark_pages(tmp_path, ["http://h0.test/0"], True)

    async def relevant(coordinator: Coordinator) -> int:
        return coordinator.statistics().relevant

    assert crawl.play(relevant) == 0
    assert services.status.crawl_status(tmp_path).relevant == 1


def test_a_page_that_is_only_waiting_is_marked_when_it_is_there(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, hosts(9), workers=1, budget=Budget(max_pages=5))
    crawl.run()
    with pytest.raises(InputError, match="it is waiting"):
        marks.mark_pages(tmp_path, ["http://h8.test/0"], True)
    services.crawls.change_settings(tmp_path, {"max_pages": 100})
    crawl.run()
    assert marks.mark_pages(tmp_path, ["http://h8.test/0"], True).pages[0].before is None
    assert [row.marked for row in services.export.fetched_pages(tmp_path) if row.final_url == "http://h8.test/0"] == [
        True
    ]


def test_a_folder_without_a_crawl_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="There is no crawl in"):
        marks.mark_pages(tmp_path, ["http://a.test/"], True)
    with pytest.raises(FolderError, match="There is no crawl in"):
        marks.list_marks(tmp_path)
    assert list(tmp_path.iterdir()) == []
