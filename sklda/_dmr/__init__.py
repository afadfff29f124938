"""Dirichlet-multinomial regression: topics of documents that depend on covariates."""
