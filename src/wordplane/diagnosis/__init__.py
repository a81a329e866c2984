"""Why a model decides as it does, and how it could be better."""
