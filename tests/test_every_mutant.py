"""Every fault of `tests/data/mutants`, planted in a kernel, is found.

Each family of samplers says whether one is exact after edits: True, False, or None if
that is unclear. `tests/test_bad_input.py` leaves out checks of input.
"""

import pytest

from tests.cvb import test_exact as cvb_exact
from tests.cvb import test_kernels as cvb
from tests.dmr import test_weights as covariates
from tests.ecgs import test_ecgs as draw_numbers
from tests.ecgs import test_exactness as groups
from tests.engine import test_hierarchical_exactness as hierarchical
from tests.engine import test_sharded as shards
from tests.fitted import test_halves as halves
from tests.gibbs import test_exactness as single_site
from tests.gibbs import test_phi_first_exactness as phi_first
from tests.gibbs import test_small_blocks as kept_sums
from tests.helpers import blocks, word_prior
from tests.helpers.mutants import TABLES, mutants_of
from tests.medlda import test_exactness as medlda
from tests.medlda import test_sharded as medlda_shards

FAMILIES = {
    "blocks": blocks,
    "covariates": covariates,
    "cvb": cvb,
    "cvb_exact": cvb_exact,
    "draw_numbers": draw_numbers,
    "groups": groups,
    "halves": halves,
    "hierarchical": hierarchical,
    "kept_sums": kept_sums,
    "medlda": medlda,
    "medlda_shards": medlda_shards,
    "phi_first": phi_first,
    "shards": shards,
    "single_site": single_site,
    "word_prior": word_prior,
}
# Those that take less than a second are with the fast tests.
FAST = {
    "cvb",
    "cvb_exact",
    "draw_numbers",
    "halves",
    "kept_sums",
    "medlda_shards",
    "shards",
}
MUTANTS = [(family, *mutant) for family in FAMILIES for mutant in mutants_of(family)]
RIGHT = dict.fromkeys((family, name, problem) for family, name, problem, *_ in MUTANTS)
pytestmark = pytest.mark.filterwarnings(
    "ignore:divide by zero"  # no token comes after the last
)


def parametrised(rows):
    """Return parameters with their names, those of slow families marked so."""
    return [
        pytest.param(
            *(value for value in row if isinstance(value, str | list)),
            id="-".join(value for value in row if isinstance(value, str)),
            marks=[] if row[0] in FAST else [pytest.mark.slow],
        )
        for row in rows
    ]


def test_every_table_is_walked():
    assert {path.stem for path in TABLES.iterdir()} == FAMILIES.keys()


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
    phi_first.cut(monkeypatch)


@pytest.mark.parametrize(("family", "name", "problem"), parametrised(RIGHT))
def test_what_python_runs_without_a_fault_passes(family, name, problem):
    assert FAMILIES[family].passes(name, problem, [])


@pytest.mark.parametrize(
    ("family", "name", "problem", "fault", "edits"), parametrised(MUTANTS)
)
def test_a_fault_is_found(family, name, problem, fault, edits):
    verdict = FAMILIES[family].passes(name, problem, edits)
    assert verdict is not None
    assert not verdict
