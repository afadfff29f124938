"""What every estimator shares: parameters, callbacks, and documents under fixed topics."""
