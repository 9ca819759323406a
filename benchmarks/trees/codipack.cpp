/* Sums of products over a binary tree with CoDiPack, as its users write it: the program on its active numbers, recorded and
   evaluated back.  Compiled where $CODIPACK is the folder of codi.hpp. */
#include <cstdint>
#include <vector>
#include <codi.hpp>

using Real = codi::RealReverse;

namespace {
struct Tree {
    const int64_t *left, *right;
    std::vector<Real> leaf, value;
    Real a, b;

    Real sum(int64_t t) const {
        const int64_t k = t >> 1;
        if (!(t & 1)) return leaf[k];
        const Real l = sum(left[k]), r = sum(right[k]);
        return a * l + b * r + l * r * value[k];
    }
};
}  // namespace

extern "C" void product_sum_codipack(int64_t root, int64_t leaves, const double *leaf, const int64_t *left,
                                     const int64_t *right, const double *value, double *leaf_bar, double *value_bar,
                                     double *a_bar, double *b_bar, double a, double b) {
    static Tree tree; /* its memory, and that of the tape, is kept from call to call */
    Real::Tape &tape = Real::getTape();
    tape.setActive();
    tree.left = left;
    tree.right = right;
    tree.leaf.assign(leaf, leaf + leaves);
    tree.value.assign(value, value + leaves - 1);
    tree.a = a;
    tree.b = b;
    for (Real &x : tree.leaf) tape.registerInput(x);
    for (Real &x : tree.value) tape.registerInput(x);
    tape.registerInput(tree.a);
    tape.registerInput(tree.b);
    Real result = tree.sum(root);
    tape.registerOutput(result);
    tape.setPassive();
    result.setGradient(1.0);
    tape.evaluate();
    for (int64_t k = 0; k < leaves; ++k) leaf_bar[k] = tree.leaf[k].getGradient();
    for (int64_t k = 0; k + 1 < leaves; ++k) value_bar[k] = tree.value[k].getGradient();
    *a_bar = tree.a.getGradient();
    *b_bar = tree.b.getGradient();
    tape.reset();
}
