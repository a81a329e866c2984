"""Problems in data and models: audits, learning curves, comparisons of learners, clusters."""
