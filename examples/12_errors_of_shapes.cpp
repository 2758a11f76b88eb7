// Shapes that do not match, and corrected programs; docs/errors.md explains each.
#include "mistakes.hpp"

using namespace sinter;

const Tensor table = ones({3, 4});

Tensor broadcasting_wrong() { return table + ones({3}); }
Tensor broadcasting_right() { return table + unsqueeze(ones({3}), 1); }

Tensor matmul_wrong() { return matmul(table, ones({5, 4})); }
Tensor matmul_right() { return matmul(table, transpose(ones({5, 4}), 0, 1)); }

Tensor reshape_wrong() { return reshape(table, {2, 5}); }
Tensor reshape_right() { return reshape(table, {2, -1}); }

Tensor axes_wrong() { return sum(table, 2); }
Tensor axes_right() { return sum(table, -1); }

Tensor indexing_wrong() { return table[{0, 4}]; }
Tensor indexing_right() { return table[{0, -1}]; }

Tensor norms_wrong() { return layer_norm(table, ones({3}), zeros({3})); }
Tensor norms_right() { return layer_norm(table, ones({4}), zeros({4})); }

const Tensor one_of_four = one_hot(arange(3), 4);

Tensor cross_entropy_wrong() { return cross_entropy(table, one_of_four); }
Tensor cross_entropy_right() { return cross_entropy(table, argmax(one_of_four, -1)); }

int main() {
  return run({{"broadcasting", broadcasting_wrong, broadcasting_right},
              {"matmul", matmul_wrong, matmul_right},
              {"reshape", reshape_wrong, reshape_right},
              {"axes", axes_wrong, axes_right},
              {"indexing", indexing_wrong, indexing_right},
              {"norms", norms_wrong, norms_right},
              {"cross-entropy", cross_entropy_wrong, cross_entropy_right}});
}
