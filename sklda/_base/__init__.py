"""What every estimator shares: parameters, callbacks, transform and score."""
