"""What samplers share: the problem, their protocol, random numbers and priors."""
