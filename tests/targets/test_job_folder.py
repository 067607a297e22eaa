"""Jobs as files: one worker takes each; torn ones and other versions are found; those of the dead are offered again."""

from __future__ import annotations

import threading
import time

import msgspec
import pytest

import bootlab
from bootlab.errors import EnvironmentFault, TargetError, UserError
from bootlab.targets import job_folder
from bootlab.targets.job_file import Answer, DamagedJob, JobFile, OtherVersion, error_of, read_job, written
from bootlab.targets.job_folder import TRIES, Deathwatch, JobFolder, folder_of
from tests.experiments.fake_bench import SYSTEM, FakeTarget, additive

PLAN = FakeTarget(additive(100)).plan(SYSTEM)
JOB = JobFile(bootlab=bootlab.__version__, name="k", files={"/a/kernel": "0" * 64}, plan=PLAN)


@pytest.fixture
def jobs(tmp_path):
    return JobFolder(tmp_path / "jobs")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(job_folder, "LOST_AFTER_S", 0.3)


def test_a_job_says_the_same_when_it_is_read():
    assert read_job("k.x.0.json", written(JOB), bootlab.__version__) == JOB


@pytest.mark.parametrize("share", [0, 0.3, 0.9, 0.999])
def test_a_torn_job_is_found(share):
    text = written(JOB)
    with pytest.raises(DamagedJob, match="not a job"):
        read_job("k.x.0.json", text[: int(len(text) * share)], bootlab.__version__)


def test_another_document_is_no_job():
    with pytest.raises(DamagedJob, match="bootlab-results"):
        read_job("k.x.0.json", b'{"format": "bootlab-results", "version": 1}', bootlab.__version__)
    with pytest.raises(DamagedJob, match="the job 'k'"):
        read_job("other.x.0.json", written(JOB), bootlab.__version__)


def test_a_job_of_another_version_is_named_and_not_read():
    newer = msgspec.structs.replace(JOB, version=3)
    with pytest.raises(OtherVersion, match="version 3"):
        read_job("k.x.0.json", written(newer), bootlab.__version__)
    with pytest.raises(OtherVersion, match=r"bootlab 9\.9; this is"):
        read_job("k.x.0.json", written(msgspec.structs.replace(JOB, bootlab="9.9")), bootlab.__version__)
    strange = b'{"format": "bootlab-job", "version": 7, "anything": {"else": []}}'
    with pytest.raises(OtherVersion, match="version 7"):
        read_job("k.x.0.json", strange, bootlab.__version__)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (TargetError("t", hint="h"), TargetError),
        (DamagedJob("k", "x"), UserError),
        (EnvironmentFault("e"), EnvironmentFault),
        (ValueError("bug"), EnvironmentFault),
    ],
)
def test_an_error_comes_back_as_what_it_was(jobs, fault, kind):
    ticket = jobs.offer(JOB)
    mine = jobs.claim(ticket, "w")
    jobs.answer(mine, error_of("w", fault))
    answer = jobs.take_answer(ticket)
    with pytest.raises(kind, match=str(fault)) as caught:
        answer.require()
    assert caught.value.exit_code == kind.exit_code


def test_one_of_many_claims_a_job(jobs):
    tickets = [jobs.offer(JOB) for _ in range(40)]
    won: list[tuple[str, str]] = []
    together = threading.Barrier(4)

    def claim(worker: str) -> None:
        own = JobFolder(jobs.path)
        together.wait()
        won.extend((ticket.id, worker) for ticket in tickets if own.claim(ticket, worker) is not None)

    threads = [threading.Thread(target=claim, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one for one, _ in won) == sorted(ticket.id for ticket in tickets)
    assert {(one.id, one.worker) for one in jobs.claimed()} == set(won)
    assert jobs.offered() == []


def test_the_oldest_job_comes_first(jobs):
    tickets = [jobs.offer(JOB) for _ in range(3)]
    assert jobs.offered() == tickets


def test_what_is_no_job_file_is_left_alone(jobs):
    for name in (".k.x.0.json", "readme.txt", "k.x.y.json", "k.x.0.w.z.json"):
        (jobs.path / "offered" / name).write_text("x")
        (jobs.path / "claimed" / name).write_text("x")
    assert jobs.offered() == []
    assert jobs.claimed() == []


def test_the_job_of_a_silent_worker_is_offered_again_until_too_many_died(jobs, impatient):
    ticket = jobs.offer(JOB)
    deaths = Deathwatch(jobs)
    for number in range(TRIES):
        (offered,) = jobs.offered()
        assert (offered.id, offered.tries) == (ticket.id, number)
        assert jobs.claim(offered, f"w{number}") is not None
        while jobs.claimed():
            deaths.revive()
            time.sleep(0.02)
    assert jobs.offered() == []
    with pytest.raises(EnvironmentFault, match="3 workers died while they made the boot k, the last was w2"):
        jobs.take_answer(ticket).require()


def test_a_worker_that_says_that_it_lives_keeps_its_job(jobs, impatient):
    mine = jobs.claim(jobs.offer(JOB), "w")
    deaths = Deathwatch(jobs)
    until = time.monotonic() + 4 * job_folder.LOST_AFTER_S
    while time.monotonic() < until:
        assert jobs.beat(mine)
        deaths.revive()
        time.sleep(0.02)
    assert jobs.claimed() == [mine]


def test_a_worker_that_was_given_up_learns_it_and_its_answer_does_not_count(jobs):
    mine = jobs.claim(jobs.offer(JOB), "w")
    jobs.take_from_dead(mine)
    assert not jobs.beat(mine)
    jobs.answer(mine, Answer(worker="w", attempt="late"))
    assert jobs.take_answer(mine) is None
    assert [one.tries for one in jobs.offered()] == [1]


def test_a_job_that_is_given_back_is_as_it_was(jobs):
    ticket = jobs.offer(JOB)
    jobs.give_back(jobs.claim(ticket, "w"))
    assert jobs.offered() == [ticket]
    assert jobs.withdraw(ticket)
    assert not jobs.withdraw(ticket)


def test_nothing_is_left_of_a_job_that_is_forgotten(jobs):
    ticket = jobs.offer(JOB)
    mine = jobs.claim(ticket, "w")
    jobs.ask_to_stop(ticket)
    assert jobs.stop_asked(mine)
    jobs.answer(mine, Answer(worker="w"))
    jobs.forget(ticket)
    assert [path for path in jobs.path.rglob("*") if path.is_file()] == []


def test_the_name_of_a_folder_of_jobs(tmp_path):
    assert str(folder_of("folder:/shared/jobs")) == "/shared/jobs"
    assert folder_of("tcp://127.0.0.1:8786") is None
    with pytest.raises(EnvironmentFault, match="names no folder"):
        folder_of("folder:")
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot be a folder of jobs"):
        JobFolder(tmp_path / "file")
