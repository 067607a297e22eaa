# SPDX-License-Identifier: MIT
"""The line that lets a driver probe asynchronously, in the drivers' different forms."""

import subprocess

import pytest

from bootlab.kernelsource.async_probe_patch import LINE, async_probe_patch

PLATFORM = """static const char *brace = "}"; /* { */
static struct platform_driver toy_driver = {
\t.probe = toy_probe,
\t.driver = {
\t\t.name = "toy",
\t\t.of_match_table = (const struct of_device_id[]){ { } },
\t},
};
module_platform_driver(toy_driver);
"""
AMBA = """static struct amba_driver ambakmi_driver = {
\t.drv\t\t= { .name = "kmi" },
};
module_amba_driver(ambakmi_driver);
"""
TWO = PLATFORM + AMBA


def patched(tmp_path, text: str, initcall: str) -> str | None:
    diff = async_probe_patch(text, file="drivers/toy.c", initcall=initcall)
    if diff is None:
        return None
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers/toy.c").write_text(text)
    done = subprocess.run(["patch", "-p1", "-F0"], input=diff, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0
    return (tmp_path / "drivers/toy.c").read_text()


def test_the_line_stands_first_in_the_generic_driver(tmp_path):
    made = patched(tmp_path, PLATFORM, "toy_driver_init")
    assert made == PLATFORM.replace("\t.driver = {\n", f"\t.driver = {{\n\t\t{LINE}\n")


def test_a_driver_written_in_one_line(tmp_path):
    made = patched(tmp_path, AMBA, "ambakmi_driver_init")
    assert f"= {{\n\t\t{LINE} .name" in made


def test_of_two_drivers_the_initcall_tells_which(tmp_path):
    made = patched(tmp_path, TWO, "ambakmi_driver_init")
    assert made.index(LINE) > made.index("ambakmi_driver = {")


@pytest.mark.parametrize(
    ("text", "initcall"),
    [
        (TWO, "other_init"),
        (PLATFORM.replace(".name", ".probe_type = PROBE_FORCE_SYNCHRONOUS, .name"), "toy_driver_init"),
        (PLATFORM.replace(".driver = {", ".driver.name = x, .other = {"), "toy_driver_init"),
        ("static int toy_init(void) { return 0; }\n", "toy_init"),
        ("static struct platform_driver toy_driver = {\n\t.driver = {", "toy_driver_init"),
    ],
    ids=("ambiguous", "says-how", "other-form", "no-driver", "cut-off"),
)
def test_what_cannot_be_told_is_left_alone(tmp_path, text, initcall):
    assert patched(tmp_path, text, initcall) is None
