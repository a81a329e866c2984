// Golden rows: what a loaded model must answer, as it did when it was saved.
// Python side: model/golden.py
#pragma once

#include "library/model.h"
#include "model/json.h"

namespace wordplane {

// Throws Refused unless the model answers as the metadata say: `golden`, and the probabilities of
// the labels of held-out rows in `training`.
void check_golden(const Model& model, const Json& golden, const Json& training);

}  // namespace wordplane
