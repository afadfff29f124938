"""Fits give the same bits on every processor: `.ci/run` runs this for three.

One number of topics is with the fast tests, with tables of two registers.
"""

import pytest

from tests.helpers import same_bits
from tests.helpers.selection import fast_and_slow


@pytest.mark.parametrize("n_topics", fast_and_slow([20], [5, 32, 33, 100]))
@pytest.mark.parametrize("sampler", same_bits.SAMPLERS)
def test_fits_have_the_bits_that_are_stored(sampler, n_topics):
    digests, traces = same_bits.digests(sampler, n_topics)
    expected, expected_traces = (
        of[sampler][str(n_topics)] for of in same_bits.stored()
    )
    assert digests == expected
    assert traces == pytest.approx(expected_traces, rel=1e-12)


def test_all_is_stored():
    topics = [str(n_topics) for n_topics in same_bits.N_TOPICS]
    for stored in same_bits.stored():
        assert list(stored) == list(same_bits.SAMPLERS)
        assert all(list(of) == topics for of in stored.values())


def test_a_bit_shows():
    X, fits = same_bits.documents(), []
    for tiny in (0.0, 2e-16):
        model = same_bits.CollapsedGibbsLDA(3, max_iter=2, random_state=0).fit(X)
        fits.append(same_bits._digest([model.doc_topic_ * (1 + tiny)]))
    assert fits[0] != fits[1]
