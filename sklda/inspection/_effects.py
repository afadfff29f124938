"""Regressions of topic proportions on covariates.

`estimate_effect` fits a regression to a sample of the proportions from each draw, pools
them (`sklda.inspection._estimates`) and returns `TopicEffects`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.stats import t as student_t

from sklda._covariates.design import FORMULA_CONSTRAINTS, CovariateDesign, Scaling
from sklda._fitted.fitted_topics import keys_of_topics
from sklda._sampling.parameters import LEVEL, validates
from sklda.inspection import _estimates

_COLUMNS = ("coefficient", "standard_error", "t", "p_value", "low", "high")
_MOST_ROWS = 30  # of the printed table, but at least one topic


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicEffects(_estimates.SeriesOfEstimates):
    """Coefficients of covariates from one regression per topic.

    `estimate_effect` returns them, and `TopicIntervalsDisplay` plots them.

    Attributes
    ----------
    terms : list of str
        "intercept", then the names of the covariates.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics.
    topic_names : ndarray of shape (n_topics,) of str
        Their names, see `name_topics`, or "topic 3" for a topic without a name.
    coefficient : ndarray of shape (n_topics, n_terms)
        Change of the proportion of the topic per unit of the covariate, averaged over
        the draws.
    standard_error : ndarray of shape (n_topics, n_terms)
        Square root of the pooled variance.
    df : ndarray of shape (n_topics, n_terms)
        Degrees of freedom of t.
    t : ndarray of shape (n_topics, n_terms)
        Coefficient divided by its standard error.
    p_value : ndarray of shape (n_topics, n_terms)
        Probability of a larger magnitude of t if the coefficient is 0.
    low, high : ndarray of shape (n_topics, n_terms)
        Ends of the intervals.
    confidence_level : float
        Probability of each interval.
    n_draws : int
        Number of regressions that were pooled.
    references : dict of str to str
        Reference value of each categorical covariate, with which its terms are
        compared: "left" if "party[right]" is the only term of "party".
    """

    terms: list[str]
    coefficient: np.ndarray
    standard_error: np.ndarray
    df: np.ndarray
    t: np.ndarray
    p_value: np.ndarray
    n_draws: int
    references: dict[str, str]
    _pooled: _estimates.Pooled

    def _series(self) -> tuple[str, list[str]]:
        references = [f"{name}[{level}]" for name, level in self.references.items()]
        return "term", self.terms[1:] + references  # a contrast has no intercept

    def _difference(self, i: int, j: int) -> tuple[np.ndarray, ...]:
        # References repeat the intercept, multiplied by 0.
        n = len(self.terms) - 1
        a, b = (k + 1 if k < n else 0 for k in (i, j))
        return self._pooled.difference(a, b, (float(i < n), float(j < n)))

    @validates(as_frame=["boolean"], term=[str, None])
    def summary(self, *, term: str | None = None, as_frame: bool = False) -> Any:
        """Return a table with a row for each topic, by name or number, and term.

        Parameters
        ----------
        term : str, default=None
            Term to show alone, the largest coefficients first.
        as_frame : bool, default=False
            Whether to return a pandas DataFrame.

        Returns
        -------
        dict of (int or str, str) to dict of str to float, or DataFrame
            coefficient, standard_error, t, p_value, low and high.

        Raises
        ------
        ValueError, ImportError
            If there is no such term, `as_frame` is not a bool, or pandas is missing.
        """
        order, chosen = np.arange(self.topics.size), np.arange(len(self.terms))
        if term is not None:
            chosen = np.array([_estimates.position_of(term, self.terms, "term")])
            order = np.argsort(-np.abs(self.coefficient[:, chosen[0]]), kind="stable")
        keys = keys_of_topics(self.topic_names[order], self.topics[order])
        index = {"topic": keys, "term": [self.terms[j] for j in chosen]}
        cells = np.ix_(order, chosen)
        columns = {name: getattr(self, name)[cells] for name in _COLUMNS}
        return _estimates.table_by_keys(index, columns, as_frame)

    def _against(self) -> str:
        """Return which values the terms of categories are compared with."""
        values = (f"{name}[{value}]" for name, value in self.references.items())
        return f"; reference: {', '.join(values)}" if self.references else ""

    def __repr__(self) -> str:
        rows = [["topic", "term", *_COLUMNS]]
        n_topics = max(_MOST_ROWS // len(self.terms), 1)
        shown = islice(self.summary().items(), n_topics * len(self.terms))
        for (topic, term), row in shown:
            rows.append([str(topic), term, *(f"{x:.3g}" for x in row.values())])
        lines = _estimates.table_lines(rows, "><>")  # terms are aligned to the left
        title = (
            f"Topic proportions on covariates: {self.n_draws} regressions, "
            f"{self.confidence_level:.0%} intervals{self._against()}"
        )
        others = _estimates.line_of_others(self.topics.size, n_topics)
        return "\n".join([title, *lines, *others])


@validates(**FORMULA_CONSTRAINTS, confidence_level=LEVEL, random_state=["random_state"])
def estimate_effect(
    draws: Any,
    covariates: ArrayLike,
    *,
    formula: str | None = None,
    reference: dict[str, str] | None = None,
    topics: ArrayLike | None = None,
    confidence_level: float = 0.95,
    random_state: int | RandomState | None = None,
) -> TopicEffects:
    """Estimate how the topic proportions of documents depend on covariates.

    A regression on estimated proportions would ignore their uncertainty. Instead, each
    draw provides a posterior sample of the proportions, to which a regression is fitted
    by least squares. The regressions are pooled [1]_: their standard errors include
    both the noise of the regression and the uncertainty of the proportions. The R
    package stm calls this the method of composition [2]_. Cost: 0.03 seconds per draw
    for KOS with 100 topics.

    Parameters
    ----------
    draws : PosteriorDraws
        ``draws_`` of an estimator that was fitted with `keep_draws`: at least 25 draws,
        of a chain long enough (`max_iter`) that they differ.
    covariates : array-like, sparse matrix or DataFrame of shape (n_documents,) or \
(n_documents, n_covariates)
        What describes the training documents, in the same order; an intercept is added.
        Numbers stay as they are, and dates become years. A column of strings, even of
        digits, or of a categorical dtype of pandas or polars becomes a column of 0 and
        1 for each level except the reference, which is the first one of the dtype or
        in alphabetical order: "party[right]" for the level "right" of "party".
    formula : str, default=None
        Formula of the covariates for formulaic, such as ``"rating + bs(day, 4)"``:
        interactions, curves, and contrasts such as ``C(party, Treatment('ind'))``. It
        needs ``pip install "sklda[formulas]"``, a frame of covariates, and an
        intercept. None means the columns themselves.
    reference : dict of str to str, default=None
        Reference level of categorical covariates, ``{"party": "ind"}``. By default the
        first level.
    topics : array-like of int or str, default=None
        Topics to use in the regressions, by number or name. By default all.
    confidence_level : float, default=0.95
        Probability of the intervals, between 0 and 1.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.

    Returns
    -------
    TopicEffects
        Coefficients, standard errors, intervals and a table.

    Raises
    ------
    TypeError
        If `draws` is not PosteriorDraws.
    ValueError
        If there are fewer than 2 draws or topics, a parameter is out of range, or the
        covariates do not have a row of finite numbers, dates or categories for each
        document, have missing values, are collinear, or have standard deviations not
        from 1e-50 to 1e50.
    ImportError
        If there is a formula, and formulaic is not installed.

    Warns
    -----
    UserWarning
        If 95 % intervals may hold the true values in less than 93 % of cases:

        - a learned alpha was still changing: its mean over the last quarter of its
          updates differs by 10 % or more, and beyond chance, from that over the quarter
          before,
        - the estimates drift: with at least 18 draws, means over the first and the
          last third differ by more than successive draws explain [4]_,
        - for means: a learned alpha wandered over the last half of its updates, so the
          last one, under which draws are made, is one of many,
        - documents are so short for their variety that shrinkage matters (see Notes).

        Also if a category has more than 20 levels or one document each.

    Notes
    -----
    With m draws, W the mean variance of a coefficient within draws, and B the variance
    of the coefficient between draws, the pooled variance is W + (1 + 1/m) B. t has the
    degrees of freedom of [3]_.

    The regression assumes errors of equal variance for all documents. LDA does not know
    the covariates: it shrinks the proportions of a document of N tokens towards the
    prior mean, and thus coefficients by about A / (N + A), where A is the sum of alpha.
    This matters for short documents and large priors. If alpha is fixed and far too
    small, intervals miss the effect without a warning; "Intervals" in the user guide
    has figures.
    Learned priors, the default, help unless documents are short.

    References
    ----------
    .. [1] D. B. Rubin, "Multiple imputation for nonresponse in surveys" (1987).
    .. [2] M. E. Roberts, B. M. Stewart, D. Tingley, "stm: an R package for structural
       topic models", Journal of Statistical Software 91 (2019),
       https://doi.org/10.18637/jss.v091.i02
    .. [3] J. Barnard, D. B. Rubin, "Small-sample degrees of freedom with multiple
       imputation", Biometrika 86 (1999), https://doi.org/10.1093/biomet/86.4.948
    .. [4] J. Geweke, "Evaluating the accuracy of sampling-based approaches to the
       calculation of posterior moments", Bayesian Statistics 4 (1992).

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import estimate_effect
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> lda = CollapsedGibbsLDA(3, keep_draws=25, random_state=0).fit(X)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> effects = estimate_effect(lda.draws_, year, random_state=0)
    >>> effects.terms, effects.coefficient.shape
    (['intercept', 'x0'], (3, 2))
    """
    draws, shown = _estimates.check_several(draws, topics)
    if covariates is None:
        raise ValueError("covariates are None: pass a row for each document.")
    design, numbers = CovariateDesign.of(
        covariates, draws.n_documents, formula, reference
    )
    terms = ["intercept", *design.names]
    if len({*terms}) < len(terms):
        raise ValueError(
            "covariates must have different names, other than 'intercept'; got "
            f"{design.names}."
        )
    estimator = _regression(numbers, design.names)
    pooled = _estimates.pool(draws, shown, estimator, confidence_level, random_state)
    t = pooled.t.T
    return TopicEffects(
        terms=terms,
        topics=shown,
        topic_names=draws.topic_names[shown],
        coefficient=pooled.mean.T,
        standard_error=pooled.standard_error.T,
        df=pooled.df.T,
        t=t,
        p_value=2 * student_t.sf(np.abs(t), pooled.df.T),
        low=pooled.low.T,
        high=pooled.high.T,
        confidence_level=confidence_level,
        n_draws=draws.n_draws,
        references=design.references,
        _pooled=pooled,
    )


def _regression(covariates: np.ndarray, names: list[str]) -> _estimates.Linear:
    """Return the regression on covariates, or ValueError if it is not unique.

    It is fitted to standardised covariates, which avoids overflow.
    """
    n_documents, n_covariates = covariates.shape
    scaling = Scaling.of(covariates, names)
    scaled = np.where(scaling.is_constant, 0, scaling.standardised(covariates))
    rank = int(np.linalg.matrix_rank(scaled)) if n_covariates > 0 else 0
    if rank < n_covariates or n_documents < n_covariates + 2:
        raise ValueError(
            f"covariates have {n_covariates} columns, {names}, of which {rank} are "
            f"independent, for {n_documents} documents. Remove columns that are "
            f"constant, here {scaling.constant or 'none'}, because an intercept is "
            "added, or that follow from the others, such as one column of each "
            "category; the regression needs 2 more documents than columns."
        )
    design = np.column_stack([np.ones(n_documents), scaled])
    inverse, df = np.linalg.pinv(design), n_documents - n_covariates - 1
    to_units = np.diag(np.append(1.0, 1 / scaling.scale))
    to_units[0, 1:] = -scaling.mean / scaling.scale  # intercept where these are 0
    rows = to_units @ inverse
    per_noise = (rows**2).sum(axis=1)
    rows /= np.sqrt(per_noise)[:, np.newaxis]

    def fit(responses):
        scaled = inverse @ responses
        noise = ((responses - design @ scaled) ** 2).sum(axis=0) / df
        return to_units @ scaled, np.outer(per_noise, noise)

    return _estimates.Linear("effects", fit, df, rows @ rows.T)
