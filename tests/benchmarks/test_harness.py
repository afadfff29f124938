"""Turns, curves and statistics."""

import numpy as np
import pytest

from benchmarks import harness
from benchmarks.harness import Runner
from benchmarks.programs import Failed


class Logged(Runner):
    """A program that logs what it does, and fails after some sweeps."""

    def __init__(self, log, name, pace=1.0, fails_after=np.inf):
        def sweep(n):
            if self.n_sweeps + n > fails_after:
                raise Failed(f"{name} failed")
            log.append(name * n)
            return pace * n

        super().__init__(name, sweep)


@pytest.fixture
def log():
    return []


def test_programs_take_turns_until_the_last_sweep_or_their_limit(log, capsys):
    paces = {"a": (1,), "b": (4,), "c": (1, 2)}
    team = [Logged(log, name, *rest) for name, rest in paces.items()]
    harness.take_turns(team, 4, lambda runner: runner.seconds < 6)
    assert "".join(log) == "abc" + "abc" + "a" + "a"
    assert capsys.readouterr().out == "c failed\n"
    assert [runner.working for runner in team] == [True, True, False]


def test_timed_sweeps_follow_the_first_or_the_limit(log):
    team = [Logged(log, "a"), Logged(log, "b", 3.0, fails_after=3)]
    runs = harness.time_turns(team, 2, 9)
    assert runs == {"a": {"sweeps": [2, 9], "seconds_per_sweep": [1.0] * 7}}
    (run,) = harness.time_turns([Logged(log, "a")], 4, 99, 8, 3).values()
    assert run["sweeps"] == [3, 11]
    (run,) = harness.time_turns([Logged(log, "a")], 4, 99, 0, 0).values()
    assert run["sweeps"] == [0, harness.FEWEST]


def test_curves_are_entered_at_checkpoints(log):
    team = [Logged(log, "a"), Logged(log, "b", 5.0)]

    def evaluate(runner):
        log.append(f"({runner.name})")
        return {"value": -runner.n_sweeps}

    curves = harness.follow(team, [1, 3, 6], evaluate, limit=20)
    assert "".join(log) == "ab(a)(b)abab(a)(b)aaa(a)"
    steps = [1, 3, 6]
    assert curves["a"] == {"sweeps": steps, "seconds": steps, "value": [-1, -3, -6]}
    assert curves["b"]["sweeps"] == [1, 3]  # 6 would take 30 seconds


def test_a_level_is_reached_between_recorded_points():
    x, rising = np.array([1.0, 4.0, 8.0]), np.array([-2000, -1800, -1700])
    assert harness.reached(x, rising, -2500) == pytest.approx(1)
    assert harness.reached(x, rising, -1900) == pytest.approx(2)  # half of log 4
    assert harness.reached(x, rising, -1800) == pytest.approx(4)
    assert harness.reached(x, rising, -1699) == np.inf
    there_and_back = np.array([0, 2, 0])
    assert harness.reached(x, there_and_back, 1) == pytest.approx(2)


def test_ends_are_medians_relative_to_the_first():
    chains = {
        "VB": [{"x": [-9, -8, -7]}, {"x": [-9, -8, -7.5]}, {"x": [-9, -8, -6]}],
        "CVB": [{"x": [-9, -6.5, -4]}],
    }
    first, second = harness.summary([1, 5, 10], chains, "x", tail=6).values()
    assert first == {"median": -7.5, "range": [-7.75, -7], "relative": 1}
    assert second == {"median": -5.25, "range": [-5.25, -5.25], "relative": 0.7}
