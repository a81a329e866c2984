// Labels at the leaves of a tree, found by beam search. Python side: learners/label_tree.py
//
// A node has slots, each with a weight vector. A slot leads to a node further down or to a label:
//
//   s_c = b_c + sum_j x_j w_cj                        of slot c, over the features of the text
//   log p(label) = sum of log(1 / (1 + exp(-slope s_c))) over the slots on the way from the root
//
//   frontier = the root
//   until it is empty:  score the slots of its nodes; note the labels that they lead to;
//                       frontier = the `beam` best of the nodes that they lead to
//
// Weights are sparse, and stored by node and feature: a text looks up its own features in a node,
// so that scoring a node costs a search for each of them and then only what is not zero.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/csr.h"

namespace wordplane {

struct TreeArrays {
  std::span<const std::int64_t> slots;     // where the slots of each node start; one more, the end
  std::span<const std::int32_t> targets;   // of each slot: label k as k, node t as -t
  std::span<const double> bias;            // of each slot
  std::span<const std::int64_t> rows;      // where the features of each node start
  std::span<const std::int32_t> features;  // of each node, ascending
  std::span<const std::int64_t> starts;    // where the weights of each of these features start
  std::span<const std::int32_t> places;    // of each weight: the slot, counted in its node
  std::span<const float> weights;
};

class LabelTree {
 public:
  // Throws std::invalid_argument unless all numbers are in range and finite, every node but the
  // root is the target of one slot, of a node before it, and no label is the target of two.
  LabelTree(std::size_t n_labels, std::size_t n_features, const TreeArrays& arrays,
            std::shared_ptr<const void> owner);

  // z (end - begin x n_labels) becomes log p of the labels that the beam reaches, for rows begin ..
  // end-1, and `unreached` for the others.
  void search(const Csr& X, std::size_t begin, std::size_t end, std::size_t beam, double slope,
              double unreached, double* z, int threads) const;

  std::size_t n_labels() const { return n_labels_; }
  std::size_t n_features() const { return n_features_; }

 private:
  std::size_t n_nodes() const { return a_.slots.size() - 1; }

  std::size_t n_labels_, n_features_, most_slots_ = 0;
  TreeArrays a_;
  std::shared_ptr<const void> owner_;
};

}  // namespace wordplane
