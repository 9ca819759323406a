/* By hand: trees and lists as columns, nodes as 2^bits * row + class, cells of lists as rows, as fsmooth has them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* -- sums of products: a * l + b * r + l * r * v ------------------------------------------------------------------------- */

typedef struct {
  const double *leaf, *value;
  const int64_t *left, *right;
  double a, b;
  double *dleaf, *dvalue, da, db;
  double *l, *r; /* what is kept of each node: in a stack, or by row */
} sums;

static double sum_of(const sums *s, int64_t t) {
  if (!(t & 1)) return s->leaf[t >> 1];
  const int64_t k = t >> 1;
  const double l = sum_of(s, s->left[k]), r = sum_of(s, s->right[k]);
  return s->a * l + s->b * r + l * r * s->value[k];
}

void product_sum(int64_t t, const double *leaf, const int64_t *left, const int64_t *right, const double *value,
                 double *result, double a, double b) {
  const sums s = {.leaf = leaf, .value = value, .left = left, .right = right, .a = a, .b = b};
  *result = sum_of(&s, t);
}

static double sum_by_row(const sums *s, int64_t t) {
  if (!(t & 1)) return s->leaf[t >> 1];
  const int64_t k = t >> 1;
  const double l = sum_by_row(s, s->left[k]), r = sum_by_row(s, s->right[k]);
  s->l[k] = l;
  s->r[k] = r;
  return s->a * l + s->b * r + l * r * s->value[k];
}

static void back_by_row(sums *s, int64_t t, double d) {
  const int64_t k = t >> 1;
  if (!(t & 1)) {
    s->dleaf[k] += d;
    return;
  }
  const double l = s->l[k], r = s->r[k], v = s->value[k];
  s->da += d * l;
  s->db += d * r;
  s->dvalue[k] += d * l * r;
  back_by_row(s, s->left[k], d * (s->a + r * v));
  back_by_row(s, s->right[k], d * (s->b + l * v));
}

static double sum_in_stack(sums *s, int64_t t) {
  if (!(t & 1)) return s->leaf[t >> 1];
  const int64_t k = t >> 1;
  const double l = sum_in_stack(s, s->left[k]), r = sum_in_stack(s, s->right[k]);
  s->l[0] = l;
  s->l[1] = r;
  s->l += 2;
  return s->a * l + s->b * r + l * r * s->value[k];
}

static void back_from_stack(sums *s, int64_t t, double d) {
  const int64_t k = t >> 1;
  if (!(t & 1)) {
    s->dleaf[k] += d;
    return;
  }
  s->l -= 2;
  const double l = s->l[0], r = s->l[1], v = s->value[k];
  s->da += d * l;
  s->db += d * r;
  s->dvalue[k] += d * l * r;
  back_from_stack(s, s->right[k], d * (s->b + l * v));
  back_from_stack(s, s->left[k], d * (s->a + r * v));
}

#define GRADIENT(name, up, down)                                                                                       \
  void name(int64_t t, int64_t leaves, const double *leaf, const int64_t *left, const int64_t *right,                  \
            const double *value, double *dleaf, double *dvalue, double *da, double *db, double *work, double a,        \
            double b) {                                                                                                \
    memset(dleaf, 0, (size_t)leaves * sizeof *dleaf);                                                                  \
    memset(dvalue, 0, (size_t)(leaves - 1) * sizeof *dvalue);                                                          \
    sums s = {leaf, value, left, right, a, b, dleaf, dvalue, 0.0, 0.0, work, work + leaves};                           \
    up(&s, t);                                                                                                         \
    down(&s, t, 1.0);                                                                                                  \
    *da = s.da;                                                                                                        \
    *db = s.db;                                                                                                        \
  }
GRADIENT(product_sum_rows, sum_by_row, back_by_row)
GRADIENT(product_sum_stack, sum_in_stack, back_from_stack)

/* -- expressions: classes in alphabetical order ------------------------------------------------------------------------ */

enum { ADD, CONST, MUL, SIN, VAR };
typedef struct {
  const int64_t *add_left, *add_right, *mul_left, *mul_right, *of, *index;
  const double *constant, *x;
  double *dconstant, *dx, *top;
} expression;

static double value_of(const expression *e, int64_t t) {
  const int64_t k = t >> 3;
  switch (t & 7) {
    case ADD: return value_of(e, e->add_left[k]) + value_of(e, e->add_right[k]);
    case MUL: return value_of(e, e->mul_left[k]) * value_of(e, e->mul_right[k]);
    case SIN: return sin(value_of(e, e->of[k]));
    case CONST: return e->constant[k];
    default: return e->x[e->index[k]];
  }
}

static double kept_of(expression *e, int64_t t) {
  const int64_t k = t >> 3;
  switch (t & 7) {
    case ADD: {
      const double l = kept_of(e, e->add_left[k]);
      return l + kept_of(e, e->add_right[k]);
    }
    case MUL: {
      const double l = kept_of(e, e->mul_left[k]), r = kept_of(e, e->mul_right[k]);
      *e->top++ = l;
      *e->top++ = r;
      return l * r;
    }
    case SIN: {
      const double y = kept_of(e, e->of[k]);
      *e->top++ = y;
      return sin(y);
    }
    case CONST: return e->constant[k];
    default: return e->x[e->index[k]];
  }
}

static void expression_back(expression *e, int64_t t, double d) {
  const int64_t k = t >> 3;
  switch (t & 7) {
    case ADD:
      expression_back(e, e->add_right[k], d);
      expression_back(e, e->add_left[k], d);
      return;
    case MUL: {
      const double r = *--e->top, l = *--e->top;
      expression_back(e, e->mul_right[k], d * l);
      expression_back(e, e->mul_left[k], d * r);
      return;
    }
    case SIN: {
      const double y = *--e->top;
      expression_back(e, e->of[k], d * cos(y));
      return;
    }
    case CONST: e->dconstant[k] += d; return;
    default: e->dx[e->index[k]] += d;
  }
}

void expression_value(int64_t t, const int64_t *al, const int64_t *ar, const double *c, const int64_t *ml,
                      const int64_t *mr, const int64_t *of, const int64_t *index, const double *x, double *result) {
  const expression e = {al, ar, ml, mr, of, index, c, x, NULL, NULL, NULL};
  *result = value_of(&e, t);
}

void expression_gradient(int64_t t, const int64_t *al, const int64_t *ar, const double *c, const int64_t *ml,
                         const int64_t *mr, const int64_t *of, const int64_t *index, const double *x,
                         int64_t constants, int64_t variables, double *dc, double *dx, double *work) {
  memset(dc, 0, (size_t)constants * sizeof *dc);
  memset(dx, 0, (size_t)variables * sizeof *dx);
  expression e = {al, ar, ml, mr, of, index, c, x, dc, dx, work};
  kept_of(&e, t);
  expression_back(&e, t, 1.0);
}

/* -- lists -------------------------------------------------------------------------------------------------------------- */

void squares(const double *head, const int64_t *tail, int64_t k, double *result) {
  double total = 0.0;
  for (; k >= 0; k = tail[k]) total += head[k] * head[k];
  *result = total;
}

void squares_gradient(const double *head, const int64_t *tail, int64_t k, int64_t cells, double *dhead) {
  memset(dhead, 0, (size_t)cells * sizeof *dhead);
  for (; k >= 0; k = tail[k]) dhead[k] += 2.0 * head[k];
}

/* -- TreeLSTM ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  int64_t H, D;
  const int64_t *word, *left, *right;
  const double *words, *leaf, *leaf_bias, *node, *node_bias, *forget, *forget_bias;
  double *dwords, *dleaf, *dleaf_bias, *dnode, *dnode_bias, *dforget, *dforget_bias;
  double *rows; /* of a node: 3 H gates, H of tanh(cell), 2 H forget gates, 2 H below, 2 H cells below; of a leaf the first 4 H */
  double *leaf_rows, *scratch;
} lstm;

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static void product(int64_t m, int64_t n, const double *restrict A, const double *restrict b,
                    const double *restrict x, double *restrict y) {
  for (int64_t i = 0; i < m; i++) {
    double sum = b[i];
    for (int64_t j = 0; j < n; j++) sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}

static void product_back(int64_t m, int64_t n, const double *restrict A, const double *restrict x,
                         const double *restrict d, double *restrict dA, double *restrict db, double *restrict dx) {
  for (int64_t i = 0; i < m; i++) {
    db[i] += d[i];
    for (int64_t j = 0; j < n; j++) {
      dA[i * n + j] += d[i] * x[j];
      dx[j] += d[i] * A[i * n + j];
    }
  }
}

static void lstm_up(lstm *s, int64_t t, double *restrict h, double *restrict c) {
  const int64_t H = s->H, k = t >> 1;
  double *z, *forget = NULL, *cells = NULL;
  if (t & 1) {
    z = s->rows + k * 10 * H;
    forget = z + 4 * H;
    cells = z + 8 * H;
    double *below = z + 6 * H;
    lstm_up(s, s->left[k], below, cells);
    lstm_up(s, s->right[k], below + H, cells + H);
    product(3 * H, 2 * H, s->node, s->node_bias, below, z);
    product(2 * H, 2 * H, s->forget, s->forget_bias, below, forget);
    for (int64_t i = 0; i < 2 * H; i++) forget[i] = sigmoid(forget[i]);
    for (int64_t i = 0; i < H; i++) c[i] = forget[i] * cells[i] + forget[H + i] * cells[H + i];
  } else {
    z = s->leaf_rows + k * 4 * H;
    product(3 * H, s->D, s->leaf, s->leaf_bias, s->words + s->word[k] * s->D, z);
    memset(c, 0, (size_t)H * sizeof *c);
  }
  for (int64_t i = 0; i < 2 * H; i++) z[i] = sigmoid(z[i]);
  for (int64_t i = 0; i < H; i++) {
    z[2 * H + i] = tanh(z[2 * H + i]);
    c[i] += z[i] * z[2 * H + i];
    z[3 * H + i] = tanh(c[i]);
    h[i] = z[H + i] * z[3 * H + i];
  }
}

static void lstm_down(lstm *s, int64_t t, const double *restrict dh, const double *restrict dc) {
  const int64_t H = s->H, k = t >> 1;
  const double *z = t & 1 ? s->rows + k * 10 * H : s->leaf_rows + k * 4 * H;
  double *dcell = s->scratch, *dz = dcell + H, *df = dz + 3 * H, *below = df + 2 * H, *cells = below + 2 * H;
  for (int64_t i = 0; i < H; i++) {
    const double in = z[i], o = z[H + i], u = z[2 * H + i], th = z[3 * H + i];
    dcell[i] = dc[i] + dh[i] * o * (1.0 - th * th);
    dz[i] = dcell[i] * u * in * (1.0 - in);
    dz[H + i] = dh[i] * th * o * (1.0 - o);
    dz[2 * H + i] = dcell[i] * in * (1.0 - u * u);
  }
  if (!(t & 1)) {
    const int64_t w = s->word[k] * s->D;
    product_back(3 * H, s->D, s->leaf, s->words + w, dz, s->dleaf, s->dleaf_bias, s->dwords + w);
    return;
  }
  const double *f = z + 4 * H, *x = z + 6 * H, *c = z + 8 * H;
  for (int64_t i = 0; i < H; i++) {
    df[i] = dcell[i] * c[i] * f[i] * (1.0 - f[i]);
    df[H + i] = dcell[i] * c[H + i] * f[H + i] * (1.0 - f[H + i]);
    cells[i] = dcell[i] * f[i];
    cells[H + i] = dcell[i] * f[H + i];
  }
  memset(below, 0, 2 * (size_t)H * sizeof *below);
  product_back(3 * H, 2 * H, s->node, x, dz, s->dnode, s->dnode_bias, below);
  product_back(2 * H, 2 * H, s->forget, x, df, s->dforget, s->dforget_bias, below);
  s->scratch += 10 * H;
  lstm_down(s, s->left[k], below, cells);
  lstm_down(s, s->right[k], below + H, cells + H);
  s->scratch -= 10 * H;
}

/* The loss of all trees; with `gradient`, of 8 arrays in the order of the parameters, what takes them back. */
void tree_lstm(int64_t H, int64_t D, int64_t classes, int64_t vocabulary, int64_t trees, const int64_t *roots,
               const int64_t *labels, const int64_t *word, const int64_t *left, const int64_t *right,
               const double *const *p, double *const *gradient, double *rows, double *leaf_rows, double *work,
               double *result) {
  const double *out = p[7];
  double *h = work, *c = h + H, *z = c + H, *dh = z + classes, *zero = dh + H, total = 0.0;
  lstm s = {H, D, word, left, right, p[0], p[1], p[2], p[3], p[4], p[5], p[6],
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, rows, leaf_rows, zero + H};
  if (gradient) {
    double **into[] = {&s.dwords, &s.dleaf, &s.dleaf_bias, &s.dnode, &s.dnode_bias, &s.dforget, &s.dforget_bias};
    const int64_t sizes[] = {vocabulary * D, 3 * H * D, 3 * H, 6 * H * H, 3 * H, 4 * H * H, 2 * H, classes * H};
    for (int k = 0; k < 8; k++) memset(gradient[k], 0, (size_t)sizes[k] * sizeof(double));
    for (int k = 0; k < 7; k++) *into[k] = gradient[k];
  }
  memset(zero, 0, (size_t)H * sizeof *zero);
  for (int64_t t = 0; t < trees; t++) {
    lstm_up(&s, roots[t], h, c);
    double most = -1e300, sum = 0.0;
    for (int64_t j = 0; j < classes; j++) {
      z[j] = 0.0;
      for (int64_t i = 0; i < H; i++) z[j] += out[j * H + i] * h[i];
      most = fmax(most, z[j]);
    }
    for (int64_t j = 0; j < classes; j++) sum += exp(z[j] - most);
    total += log(sum) + most - z[labels[t]];
    if (!gradient) continue;
    memset(dh, 0, (size_t)H * sizeof *dh);
    for (int64_t j = 0; j < classes; j++) {
      const double d = exp(z[j] - most) / sum - (j == labels[t] ? 1.0 : 0.0);
      for (int64_t i = 0; i < H; i++) {
        gradient[7][j * H + i] += d * h[i];
        dh[i] += d * out[j * H + i];
      }
    }
    lstm_down(&s, roots[t], dh, zero);
  }
  *result = total;
}
