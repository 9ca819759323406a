/* Gradients by hand, and one primal: what fsmooth's reverse mode is measured against (cc -O3 -march=native -ffast-math). */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* cost = sum over i, j of log(u_i v_j) + A_ij / (u_i v_j), by both factors, as it is written */
void nnmf_both(int64_t n, const double *restrict A, const double *restrict u, const double *restrict v,
               double *restrict by_u, double *restrict by_v) {
  memset(by_v, 0, (size_t)n * sizeof *by_v);
  for (int64_t i = 0; i < n; i++) {
    const double *row = A + i * n, ui = u[i];
    double total = 0.0;
    for (int64_t j = 0; j < n; j++) {
      const double mean = ui * v[j], slope = 1.0 / mean - row[j] / (mean * mean);
      total += slope * v[j];
      by_v[j] += slope * ui;
    }
    by_u[i] = total;
  }
}

/* The same with the reciprocals taken out: (n - (1/u_i) sum_j A_ij / v_j) / u_i, and likewise by v */
void nnmf_both_reciprocals(int64_t n, const double *restrict A, const double *restrict u, const double *restrict v,
                           double *restrict inverse, double *restrict by_u, double *restrict by_v) {
  for (int64_t j = 0; j < n; j++) inverse[j] = 1.0 / v[j];
  memset(by_v, 0, (size_t)n * sizeof *by_v);
  for (int64_t i = 0; i < n; i++) {
    const double *row = A + i * n, scale = 1.0 / u[i];
    double total = 0.0;
    for (int64_t j = 0; j < n; j++) {
      total += row[j] * inverse[j];
      by_v[j] += row[j] * scale;
    }
    by_u[i] = scale * ((double)n - scale * total);
  }
  for (int64_t j = 0; j < n; j++) by_v[j] = inverse[j] * ((double)n - inverse[j] * by_v[j]);
}

/* x becomes sin(x) + a, again and again: derivatives of the last x by the first and by a, carried along */
void scalar_recurrence(int64_t steps, double *by, double x, double a) {
  double by_x = 1.0, by_a = 0.0;
  for (int64_t k = 0; k < steps; k++) {
    const double slope = cos(x);
    by_x *= slope;
    by_a = by_a * slope + 1.0;
    x = sin(x) + a;
  }
  by[0] = by_x;
  by[1] = by_a;
}

/* s becomes tanh(W s + U x_t + b), from zero, T times; gradient of |s|^2.  work: 2 h h + (T + 1) h + 2 h numbers.
   The weights are transposed first, so that the innermost loop of a step runs over the rows. */
void tanh_recurrence(int64_t T, int64_t h, const double *restrict W, const double *restrict U, const double *restrict b,
                     const double *restrict inputs, double *restrict work, double *restrict by_W, double *restrict by_U,
                     double *restrict by_b) {
  double *restrict Wt = work, *restrict Ut = Wt + h * h, *states = Ut + h * h;
  double *restrict inner = states + (T + 1) * h, *restrict cotangent = inner + h;
  for (int64_t i = 0; i < h; i++)
    for (int64_t j = 0; j < h; j++) {
      Wt[j * h + i] = W[i * h + j];
      Ut[j * h + i] = U[i * h + j];
    }
  memset(states, 0, (size_t)h * sizeof *states);
  for (int64_t t = 0; t < T; t++) {
    const double *restrict before = states + t * h, *restrict x = inputs + t * h;
    double *restrict after = states + (t + 1) * h;
    memcpy(after, b, (size_t)h * sizeof *after);
    for (int64_t j = 0; j < h; j++)
      for (int64_t i = 0; i < h; i++) after[i] += Wt[j * h + i] * before[j] + Ut[j * h + i] * x[j];
    for (int64_t i = 0; i < h; i++) after[i] = tanh(after[i]);
  }
  memset(by_W, 0, (size_t)(h * h) * sizeof *by_W);
  memset(by_U, 0, (size_t)(h * h) * sizeof *by_U);
  memset(by_b, 0, (size_t)h * sizeof *by_b);
  for (int64_t i = 0; i < h; i++) cotangent[i] = 2.0 * states[T * h + i];
  for (int64_t t = T; t-- > 0;) {
    const double *restrict before = states + t * h, *restrict after = before + h, *restrict x = inputs + t * h;
    for (int64_t i = 0; i < h; i++) inner[i] = cotangent[i] * (1.0 - after[i] * after[i]);
    memset(cotangent, 0, (size_t)h * sizeof *cotangent);
    for (int64_t i = 0; i < h; i++) {
      const double each = inner[i];
      by_b[i] += each;
      for (int64_t j = 0; j < h; j++) {
        by_W[i * h + j] += each * before[j];
        by_U[i * h + j] += each * x[j];
        cotangent[j] += each * W[i * h + j];
      }
    }
  }
}

/* The reprojection errors of p observations and the errors of their weights, one after the other (11 camera parameters:
   r, C, f, x0, kappa) */
void reprojection_errors(int64_t p, const double *restrict cams, const double *restrict X, const double *restrict w,
                         const double *restrict feats, const int64_t *restrict cam_of,
                         const int64_t *restrict point_of, double *restrict errors, double *restrict of_weights) {
  for (int64_t k = 0; k < p; k++) {
    const double *r = cams + 11 * cam_of[k], *C = r + 3, *point = X + 3 * point_of[k];
    const double x = point[0] - C[0], y = point[1] - C[1], z = point[2] - C[2];
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double c = 1.0, s = 1.0, along = 0.0;
    if (square != 0.0) {
      const double angle = sqrt(square);
      c = cos(angle);
      s = sin(angle) / angle;
      along = (1.0 - c) / square * (r[0] * x + r[1] * y + r[2] * z);
    }
    const double P = c * x + s * (r[1] * z - r[2] * y) + along * r[0];
    const double Q = c * y + s * (r[2] * x - r[0] * z) + along * r[1];
    const double R = c * z + s * (r[0] * y - r[1] * x) + along * r[2];
    const double u = P / R, v = Q / R, n = u * u + v * v, scale = r[6] * (1.0 + n * (r[9] + n * r[10]));
    errors[2 * k] = w[k] * (scale * u + r[7] - feats[2 * k]);
    errors[2 * k + 1] = w[k] * (scale * v + r[8] - feats[2 * k + 1]);
    of_weights[k] = 1.0 - w[k] * w[k];
  }
}

static double log_sum_exp(int64_t n, const double *v) {
  double largest = v[0], total = 0.0;
  for (int64_t k = 1; k < n; k++) largest = v[k] > largest ? v[k] : largest;
  for (int64_t k = 0; k < n; k++) total += exp(v[k] - largest);
  return largest + log(total);
}

#define LANES 32
#define APART __attribute__((noinline)) /* gcc heeds `restrict` only on parameters of functions that it does not inline */

/* y = Q c for the lower triangle Q (d, d) and LANES points c (d, LANES); squares = |y|^2 */
APART static void multiply(int64_t d, const double *restrict Q, const double *restrict c, double *restrict y,
                           double *restrict squares) {
  memset(squares, 0, LANES * sizeof *squares);
  for (int64_t i = 0; i < d; i++) {
    double row[LANES] = {0.0};
    for (int64_t j = 0; j <= i; j++) {
      const double entry = Q[i * d + j];
      for (int t = 0; t < LANES; t++) row[t] += entry * c[j * LANES + t];
    }
    for (int t = 0; t < LANES; t++) {
      y[i * LANES + t] = row[t];
      squares[t] += row[t] * row[t];
    }
  }
}

/* by_Q -= sum over the points of w y c', moment += sum of w y */
APART static void accumulate(int64_t d, const double *restrict w, const double *restrict y,
                             const double *restrict c, double *restrict by_Q, double *restrict moment) {
  for (int64_t i = 0; i < d; i++) {
    double weighted[LANES], total = 0.0;
    for (int t = 0; t < LANES; t++) {
      weighted[t] = w[t] * y[i * LANES + t];
      total += weighted[t];
    }
    moment[i] += total;
    for (int64_t j = 0; j <= i; j++) {
      double product = 0.0;
      for (int t = 0; t < LANES; t++) product += weighted[t] * c[j * LANES + t];
      by_Q[i * d + j] -= product;
    }
  }
}

/* Log-posterior of a mixture of K Gaussians in d dimensions and its gradient, LANES points at a time, coordinates apart.
   Q_k has exp(q_k) on the diagonal and l_k below it, column by column.  With the weights w = softmax of the densities,
   centred c = x - mu_k and y = Q_k c:  by_Q = - sum w y c',  by_mu = Q' sum w y.
   work: K (2 d d + d + LANES (d + 1)) + 2 d LANES numbers and 8 to align them. */
void mixture(int64_t d, int64_t K, int64_t n, const double *restrict alpha, const double *restrict mu,
             const double *restrict q, const double *restrict l, const double *restrict x, int64_t m,
             double *restrict work, double *restrict value, double *restrict by_alpha, double *restrict by_mu,
             double *restrict by_q, double *restrict by_l, double gamma, double sign) {
  const int64_t below = d * (d - 1) / 2;
  double *restrict Y = __builtin_assume_aligned((void *)(((uintptr_t)work + 63) & ~(uintptr_t)63), 64);
  double *restrict terms = Y + K * d * LANES, *restrict columns = terms + K * LANES;
  double *restrict centred = columns + d * LANES, *restrict Q = centred + d * LANES;
  double *restrict by_Q = Q + K * d * d, *restrict moment = by_Q + K * d * d;
  memset(by_Q, 0, (size_t)(K * d * (d + 1)) * sizeof *by_Q);
  memset(by_alpha, 0, (size_t)K * sizeof *by_alpha);
  for (int64_t k = 0; k < K; k++) {
    const double *entry = l + k * below;
    for (int64_t c = 0; c < d; c++) {
      Q[(k * d + c) * d + c] = exp(q[k * d + c]);
      for (int64_t r = c + 1; r < d; r++) Q[(k * d + r) * d + c] = *entry++;
    }
  }
  double total = 0.0;
  for (int64_t first = 0; first < n; first += LANES) {
    const int64_t count = n - first < LANES ? n - first : LANES;
    for (int64_t c = 0; c < d; c++)
      for (int64_t t = 0; t < LANES; t++) columns[c * LANES + t] = t < count ? x[(first + t) * d + c] : 0.0;
    double largest[LANES], sum[LANES] = {0.0}, share[LANES];
    for (int t = 0; t < LANES; t++) largest[t] = -DBL_MAX;
    for (int64_t k = 0; k < K; k++) {
      double base = alpha[k], squares[LANES];
      for (int64_t c = 0; c < d; c++) {
        base += q[k * d + c];
        for (int t = 0; t < LANES; t++) centred[c * LANES + t] = columns[c * LANES + t] - mu[k * d + c];
      }
      multiply(d, Q + k * d * d, centred, Y + k * d * LANES, squares);
      for (int t = 0; t < LANES; t++) {
        const double term = base - 0.5 * squares[t];
        terms[k * LANES + t] = term;
        largest[t] = term > largest[t] ? term : largest[t];
      }
    }
    for (int64_t k = 0; k < K; k++)
      for (int t = 0; t < LANES; t++) {
        terms[k * LANES + t] = exp(terms[k * LANES + t] - largest[t]);
        sum[t] += terms[k * LANES + t];
      }
    for (int t = 0; t < LANES; t++) {
      total += t < count ? largest[t] + log(sum[t]) : 0.0;
      share[t] = t < count ? 1.0 / sum[t] : 0.0;
    }
    for (int64_t k = 0; k < K; k++) {
      double weight[LANES], weights = 0.0;
      for (int t = 0; t < LANES; t++) {
        weight[t] = terms[k * LANES + t] * share[t];
        weights += weight[t];
      }
      by_alpha[k] += weights;
      for (int64_t c = 0; c < d; c++)
        for (int t = 0; t < LANES; t++) centred[c * LANES + t] = columns[c * LANES + t] - mu[k * d + c];
      accumulate(d, weight, Y + k * d * LANES, centred, by_Q + k * d * d, moment + k * d);
    }
  }
  const double of_alpha = log_sum_exp(K, alpha), N = (double)(d + m + 1);
  double prior = 0.0, log_gamma = 0.25 * (double)(d * (d - 1)) * log(M_PI);
  for (int64_t j = 0; j < d; j++) log_gamma += lgamma(0.5 * (N - (double)j));
  for (int64_t k = 0; k < K; k++) {
    const double weights = by_alpha[k];
    double *entry = by_l + k * below;
    for (int64_t c = 0; c < d; c++) {
      const double *column = Q + k * d * d + c, diagonal = column[c * d];
      double slope = diagonal * moment[k * d + c];
      by_q[k * d + c] = weights + by_Q[(k * d + c) * d + c] * diagonal;
      by_q[k * d + c] += sign * (gamma * gamma * diagonal * diagonal - (double)m);
      prior += 0.5 * gamma * gamma * diagonal * diagonal - (double)m * q[k * d + c];
      for (int64_t r = c + 1; r < d; r++) {
        const double of_l = column[r * d];
        slope += of_l * moment[k * d + r];
        *entry++ = by_Q[(k * d + r) * d + c] + sign * gamma * gamma * of_l;
        prior += 0.5 * gamma * gamma * of_l * of_l;
      }
      by_mu[k * d + c] = slope;
    }
    by_alpha[k] = weights - (double)n * exp(alpha[k] - of_alpha);
  }
  const double constant = N * (double)d * (log(gamma) - 0.5 * log(2.0)) - log_gamma;
  *value = total - 0.5 * (double)(n * d) * log(2.0 * M_PI) - (double)n * of_alpha + sign * (prior - (double)K * constant);
}

/* One stage of Runge-Kutta for y'[0] = x[0], y'[i] = x[i] y[i - 1]: out = y + c f(at), of the elements from the first on */
APART static void stage(int64_t first, int64_t n, double c, const double *restrict x, const double *restrict y,
                        const double *restrict at, double *restrict out) {
  if (first <= 0) out[0] = y[0] + c * x[0];
  for (int64_t i = first > 0 ? first : 1; i < n; i++) out[i] = y[i] + c * x[i] * at[i - 1];
}

/* The step itself: out = y + c (f(y) + 2 f(second) + 2 f(third) + f(fourth)) */
APART static void step(int64_t first, int64_t n, double c, const double *restrict x, const double *restrict y,
                       const double *restrict second, const double *restrict third, const double *restrict fourth,
                       double *restrict out) {
  if (first <= 0) out[0] = y[0] + 6.0 * c * x[0];
  for (int64_t i = first > 0 ? first : 1; i < n; i++)
    out[i] = y[i] + c * x[i] * (y[i - 1] + 2.0 * (second[i - 1] + third[i - 1]) + fourth[i - 1]);
}

/* The cotangent of the slope of a stage, from those of the next state and of the slope that the stage leads to */
APART static void stage_back(int64_t first, int64_t n, double share, double c, const double *restrict x,
                             const double *restrict by_y, const double *restrict by_next, double *restrict by) {
  for (int64_t i = first; i < n - 1; i++) by[i] = share * by_y[i] + c * x[i + 1] * by_next[i + 1];
  by[n - 1] = share * by_y[n - 1];
}

/* What the four slopes, with their cotangents, give to x and to the state */
APART static void step_back(int64_t first, int64_t n, double share, const double *restrict x, const double *restrict y,
                            const double *restrict second, const double *restrict third, const double *restrict fourth,
                            const double *restrict by_y, const double *restrict by_1, const double *restrict by_2,
                            const double *restrict by_3, double *restrict before, double *restrict by_x) {
  if (first == 0) by_x[0] += by_1[0] + by_2[0] + by_3[0] + share * by_y[0];
  for (int64_t i = first; i < n - 1; i++) {
    const double a = by_1[i + 1], b = by_2[i + 1], c = by_3[i + 1], d = share * by_y[i + 1];
    before[i] = by_y[i] + (a + b + c + d) * x[i + 1];
    by_x[i + 1] += a * y[i] + b * second[i] + c * third[i] + d * fourth[i];
  }
  before[n - 1] = by_y[n - 1];
}

/* d y[n - 1](2) / dx after s steps, from y = 0.  What the stages start from is stored, each step in the row after the last.
   With k steps to go only the last 4 k + 1 elements matter.  work: (4 s + 6) n numbers and 8 to align them. */
void ode_gradient(int64_t n, int64_t s, const double *restrict x, double *restrict work, double *restrict by_x) {
  const double h = 2.0 / (double)s;
  double *states = __builtin_assume_aligned((void *)(((uintptr_t)work + 63) & ~(uintptr_t)63), 64);
  double *second = states + (s + 1) * n, *third = second + s * n, *fourth = third + s * n;
  double *by_y = fourth + s * n, *before = by_y + n, *by_1 = before + n, *by_2 = by_1 + n, *by_3 = by_2 + n;
  memset(states, 0, (size_t)n * sizeof *states);
  for (int64_t k = s, row = 0; k > 0; k--, row += n) {
    const int64_t first = n - 1 - 4 * k;
    stage(first - 2, n, h / 2.0, x, states + row, states + row, second + row);
    stage(first - 1, n, h / 2.0, x, states + row, second + row, third + row);
    stage(first, n, h, x, states + row, third + row, fourth + row);
    step(first + 1, n, h / 6.0, x, states + row, second + row, third + row, fourth + row, states + row + n);
  }
  memset(by_x, 0, (size_t)n * sizeof *by_x);
  memset(by_y, 0, 2 * (size_t)n * sizeof *by_y);
  by_y[n - 1] = 1.0;
  for (int64_t k = 1, row = (s - 1) * n; k <= s; k++, row -= n) {
    const int64_t first = n - 1 - 4 * k > 0 ? n - 1 - 4 * k : 0;
    stage_back(first, n, h / 3.0, h * h / 6.0, x, by_y, by_y, by_3);
    stage_back(first, n, h / 3.0, h / 2.0, x, by_y, by_3, by_2);
    stage_back(first, n, h / 6.0, h / 2.0, x, by_y, by_2, by_1);
    step_back(first, n, h / 6.0, x, states + row, second + row, third + row, fourth + row, by_y, by_1, by_2, by_3, before, by_x);
    double *held = by_y;
    by_y = before;
    before = held;
  }
}

/* The determinant of the last m rows of A (n, n) and of these columns, along the first of the rows.  others: m m / 2 integers. */
static double minors(int64_t n, const double *restrict A, const int64_t *columns, int64_t m, int64_t *others) {
  const double *row = A + (n - m) * n;
  if (m == 1) return row[columns[0]];
  double total = 0.0, sign = 1.0;
  for (int64_t k = 1; k < m; k++) others[k - 1] = columns[k];
  for (int64_t j = 0; j < m; j++) {
    total += sign * row[columns[j]] * minors(n, A, others, m - 1, others + m - 1);
    if (j < m - 1) others[j] = columns[j];
    sign = -sign;
  }
  return total;
}

/* The same, and by += r times its derivative: of an element, the determinant beside it; so each is visited once. */
static double minors_both(
    int64_t n, const double *restrict A, const int64_t *columns, int64_t m, int64_t *others, double r, double *restrict by) {
  const double *row = A + (n - m) * n;
  if (m == 1) {
    by[(n - 1) * n + columns[0]] += r;
    return row[columns[0]];
  }
  double total = 0.0, sign = 1.0;
  for (int64_t k = 1; k < m; k++) others[k - 1] = columns[k];
  for (int64_t j = 0; j < m; j++) {
    const double a = sign * row[columns[j]];
    const double minor = minors_both(n, A, others, m - 1, others + m - 1, r * a, by);
    by[(n - m) * n + columns[j]] += r * sign * minor;
    total += a * minor;
    if (j < m - 1) others[j] = columns[j];
    sign = -sign;
  }
  return total;
}

void determinant(int64_t n, const double *restrict A, int64_t *work, double *value) {
  for (int64_t k = 0; k < n; k++) work[k] = k;
  *value = minors(n, A, work, n, work + n);
}

void determinant_gradient(int64_t n, const double *restrict A, int64_t *work, double *restrict by) {
  for (int64_t k = 0; k < n; k++) work[k] = k;
  memset(by, 0, (size_t)(n * n) * sizeof *by);
  minors_both(n, A, work, n, work + n, 1.0, by);
}
