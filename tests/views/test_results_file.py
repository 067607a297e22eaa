# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import msgspec
import pytest

from bootlab.errors import EnvironmentFault, UserError
from bootlab.model.modelled import Modelled
from bootlab.model.recording import Outcome
from bootlab.results import file as results_file
from bootlab.results.document import BootSummary
from bootlab.views import publish
from tests.views import report_sample as sample


@pytest.mark.parametrize("kind", ["boot", "try", "stack"])
def test_a_run_comes_back_as_it_was_written(tmp_path: Path, kind: str):
    results = sample.results(kind)
    results_file.save(results, tmp_path / "run" / "results.json")
    assert results_file.load(tmp_path / "run") == results
    assert results_file.load(tmp_path / "run" / "results.json") == results


def test_hostile_text_comes_back_as_it_was_written(tmp_path: Path):
    results, _ = sample.hostile()
    results_file.save(results, tmp_path / "results.json")
    assert results_file.load(tmp_path) == results


def test_the_file_says_its_format_and_version(tmp_path: Path):
    results_file.save(sample.results("boot"), tmp_path / "results.json")
    document = json.loads((tmp_path / "results.json").read_text())
    assert (document["format"], document["version"]) == ("bootlab-results", 2)
    assert document["base"]["goal_ns"] == sum(sample.BASE_STAGES_NS)


def test_stray_bytes_of_a_path_are_replaced():
    base = msgspec.structs.replace(sample.results("boot").base, recording_path="runs/caf\udce9")
    raw = results_file.encode(msgspec.structs.replace(sample.results("boot"), base=base))
    assert results_file.decode(raw, source="x").base.recording_path == "runs/caf?"


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    results_file.save(sample.results("boot"), tmp_path / "results.json")
    before = (tmp_path / "results.json").read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(EnvironmentFault, match="No space"):
        results_file.save(sample.results("try"), tmp_path / "results.json")
    assert (tmp_path / "results.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        (
            '{"format": "bootlab-results", "version": 3}',
            "reads versions 1 to 2",
            "upgrade bootlab",
        ),
        ('{"format": "bootlab-results", "version": 0}', "version 0", "command again"),
        ('{"format": "bootlab-recording", "version": 1}', "not a bootlab results file", "results.json"),
        ("{}", "not a bootlab results file", "results.json"),
        ('{"format": "bootlab-results", "version": 1, "kind": "boot"}', "missing required field `id`", "command again"),
        ('{"format": "bootlab-results", "vers', "damaged", "command again"),
        ('{"format": "bootlab-results", "version": 1, "x": ' + "[" * 100_000, "damaged", "command again"),
    ],
)
def test_a_wrong_file_gets_an_error_that_names_it(tmp_path: Path, text: str, said: str, hint: str):
    file = tmp_path / "results.json"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        results_file.load(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)
    assert hint in caught.value.hint


def test_a_wrong_field_is_named(tmp_path: Path):
    results_file.save(sample.results("boot"), tmp_path / "results.json")
    document = json.loads((tmp_path / "results.json").read_text())
    document["base"]["goal_ns"] = "soon"
    document["version"] = 1
    del document["digest"]
    (tmp_path / "results.json").write_text(json.dumps(document))
    with pytest.raises(UserError, match=r"\$\.base\.goal_ns"):
        results_file.load(tmp_path)


def test_a_missing_file_says_what_to_give(tmp_path: Path):
    with pytest.raises(UserError, match="No such file") as caught:
        results_file.load(tmp_path)
    assert "folder of a run" in caught.value.hint


def test_a_summary_is_made_of_a_recording():
    recording = sample.recording(3)
    boot = BootSummary.of(recording)
    assert (boot.key, boot.goal_ns, boot.outcome) == ("b45e", recording.meta.goal_ns, Outcome.GOAL)
    assert boot.stages == ()


def test_instructions_of_a_stage_come_from_its_marks():
    boot = sample.boot(sample.BASE_STAGES_NS, "k")
    assert [boot.stage_insns(s) for s in boot.stages] == [n // 3 for n in sample.BASE_STAGES_NS]
    bare = msgspec.structs.replace(
        boot, goal_insns=None, timeline=msgspec.structs.replace(boot.timeline, marks=boot.marks[:1])
    )
    assert {bare.stage_insns(s) for s in bare.stages} == {None}


def test_trials_without_a_time_stand_last():
    order = [t.saved_ns for t in sample.results("try").trials_by_saved()]
    known = [s for s in order if s is not None]
    assert known == sorted(known, reverse=True)
    assert order[len(known) :] == [None] * (len(order) - len(known))
    assert len(known) < len(order)


def test_the_models_are_baud_and_bandwidth():
    row = Modelled(baud=9600, bits_per_character=10, bandwidth_bytes_per_s=1_000_000).with_boot(
        "base", console_bytes=960, image_bytes=2_500_000
    ).rows[0]  # fmt: skip
    assert (row.console_ns, row.image_ns) == (1_000_000_000, 2_500_000_000)
    assert Modelled().with_boot("base", console_bytes=1, image_bytes=1).rows[0].image_ns is None


def test_a_run_is_written_for_people_and_programs(tmp_path: Path):
    results = sample.results("stack", initcalls=5)
    (tmp_path / "page.html").write_bytes(publish.html_page(results))
    (tmp_path / "summary.md").write_bytes(publish.markdown(results))
    (tmp_path / "trace.json").write_bytes(publish.chrome_json(results))
    (tmp_path / "trace.perfetto").write_bytes(publish.perfetto_trace(results))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["page.html", "summary.md", "trace.json", "trace.perfetto"]
    names = {e["name"] for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert {"firmware", "goal"} <= names
    assert (tmp_path / "trace.perfetto").stat().st_size > 500


def test_a_run_without_a_timeline_has_no_trace(tmp_path: Path):
    results = sample.results("boot", initcalls=0)
    base = msgspec.structs.replace(results.base, timeline=None)
    with pytest.raises(UserError, match="no timeline"):
        publish.chrome_json(msgspec.structs.replace(results, base=base))
