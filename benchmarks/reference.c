/* Derivatives by hand: what fsmooth's generated C is measured against (cc -O3 -march=native -ffast-math). */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* d(a.b)/da = b */
void grad_dot(int64_t n, const double *b, double *out) { memcpy(out, b, (size_t)n * sizeof *out); }

/* d(max v)/dv = the unit vector of the first maximum */
void grad_max(int64_t n, const double *restrict v, double *restrict out) {
  double largest = v[0];
  for (int64_t i = 1; i < n; i++) largest = v[i] > largest ? v[i] : largest;
  memset(out, 0, (size_t)n * sizeof *out);
  int64_t at = 0;
  while (v[at] != largest) at++;
  out[at] = 1.0;
}

/* d(a+b)/da = I, dense */
void jacobian_add(int64_t n, double *out) {
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int64_t i = 0; i < n; i++) out[i * (n + 1)] = 1.0;
}

/* d(v*s)/ds = v */
void grad_scale(int64_t n, const double *v, double *out) { memcpy(out, v, (size_t)n * sizeof *out); }

/* f(u) = sum over i, j of log(u_i v_j) + A_ij / (u_i v_j), as it is written */
void nnmf_direct(int64_t n, const double *restrict A, const double *restrict u, const double *restrict v,
                 double *restrict out) {
  for (int64_t i = 0; i < n; i++) {
    const double *row = A + i * n, ui = u[i];
    double total = 0.0;
    for (int64_t j = 0; j < n; j++) {
      const double product = ui * v[j], ratio = v[j] / product;
      total += ratio * (1.0 - row[j] / product);
    }
    out[i] = total;
  }
}

/* The same with the reciprocals taken out: (n - (1/u_i) sum_j A_ij / v_j) / u_i */
void nnmf_reciprocals(int64_t n, const double *restrict A, const double *restrict u, const double *restrict v,
                      double *restrict inverse, double *restrict out) {
  for (int64_t j = 0; j < n; j++) inverse[j] = 1.0 / v[j];
  for (int64_t i = 0; i < n; i++) {
    const double *row = A + i * n;
    double total = 0.0;
    for (int64_t j = 0; j < n; j++) total += row[j] * inverse[j];
    const double scale = 1.0 / u[i];
    out[i] = scale * ((double)n - scale * total);
  }
}

/* A rotation and its derivatives by the axis: dR/dr_k = [r_k r + r x (I - R) e_k]_x R / |r|^2 (Gallego, Yezzi 2015) */
typedef struct {
  double R[3][3], D[3][3][3];
} rotation;

static rotation rotate(const double *r) {
  rotation q;
  const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (square < 1e-30) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int third = 3 - i - j;
        const double sign = i == j ? 0.0 : (j - i + 3) % 3 == 1 ? -1.0 : 1.0;
        q.R[i][j] = i == j ? 1.0 : sign * r[third];
        for (int k = 0; k < 3; k++) q.D[k][i][j] = i != j && k == third ? sign : 0.0;
      }
    return q;
  }
  const double angle = sqrt(square), c = cos(angle), a = sin(angle) / angle, b = (1.0 - c) / square;
  const double K[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) q.R[i][j] = (i == j ? c : 0.0) + a * K[i][j] + b * r[i] * r[j];
  for (int k = 0; k < 3; k++) {
    double e[3], w[3];
    for (int i = 0; i < 3; i++) e[i] = (i == k ? 1.0 : 0.0) - q.R[i][k];
    w[0] = (r[k] * r[0] + r[1] * e[2] - r[2] * e[1]) / square;
    w[1] = (r[k] * r[1] + r[2] * e[0] - r[0] * e[2]) / square;
    w[2] = (r[k] * r[2] + r[0] * e[1] - r[1] * e[0]) / square;
    for (int j = 0; j < 3; j++) {
      q.D[k][0][j] = w[1] * q.R[2][j] - w[2] * q.R[1][j];
      q.D[k][1][j] = w[2] * q.R[0][j] - w[0] * q.R[2][j];
      q.D[k][2][j] = w[0] * q.R[1][j] - w[1] * q.R[0][j];
    }
  }
  return q;
}

/* One point of `project` (11 camera parameters: r, C, f, x0, kappa); column c of row d goes to out[(11 d + c) stride] */
static inline __attribute__((always_inline)) void project_point(const double *cam, const rotation *q, double x, double y,
                                                                double z, double *restrict out, int64_t stride) {
  const double Y0 = x - cam[3], Y1 = y - cam[4], Y2 = z - cam[5];
  double P[3];
  for (int i = 0; i < 3; i++) P[i] = q->R[i][0] * Y0 + q->R[i][1] * Y1 + q->R[i][2] * Y2;
  const double w = 1.0 / P[2], u = P[0] * w, v = P[1] * w, n = u * u + v * v;
  const double L = 1.0 + n * (cam[9] + cam[10] * n), M = 2.0 * (cam[9] + 2.0 * cam[10] * n), f = cam[6];
  const double uu = f * (L + M * u * u), uv = f * M * u * v, vv = f * (L + M * v * v);
  const double g[2][3] = {{uu * w, uv * w, -(uu * u + uv * v) * w}, {uv * w, vv * w, -(uv * u + vv * v) * w}};
  for (int k = 0; k < 3; k++) {
    double T[3];
    for (int i = 0; i < 3; i++) T[i] = q->D[k][i][0] * Y0 + q->D[k][i][1] * Y1 + q->D[k][i][2] * Y2;
    for (int d = 0; d < 2; d++) {
      out[(11 * d + k) * stride] = g[d][0] * T[0] + g[d][1] * T[1] + g[d][2] * T[2];
      out[(11 * d + 3 + k) * stride] = -(g[d][0] * q->R[0][k] + g[d][1] * q->R[1][k] + g[d][2] * q->R[2][k]);
    }
  }
  out[6 * stride] = L * u;
  out[17 * stride] = L * v;
  out[7 * stride] = out[19 * stride] = 1.0;
  out[8 * stride] = out[18 * stride] = 0.0;
  out[9 * stride] = f * n * u;
  out[20 * stride] = f * n * v;
  out[10 * stride] = f * n * n * u;
  out[21 * stride] = f * n * n * v;
}

void project_hoisted(int64_t n, const double *restrict cam, const double *restrict X, double *restrict out) {
  const rotation q = rotate(cam);
  for (int64_t k = 0; k < n; k++) project_point(cam, &q, X[3 * k], X[3 * k + 1], X[3 * k + 2], out + 22 * k, 1);
}

#define LANES 16
void project_blocked(int64_t n, const double *restrict camera, const double *restrict X, double *restrict out) {
  const rotation q = rotate(camera);
  double cam[11], columns[22 * LANES], in[3][LANES];
  memcpy(cam, camera, sizeof cam);
  int64_t k = 0;
  for (; k + LANES <= n; k += LANES) {
    for (int l = 0; l < LANES; l++)
      for (int c = 0; c < 3; c++) in[c][l] = X[3 * (k + l) + c];
    for (int l = 0; l < LANES; l++) project_point(cam, &q, in[0][l], in[1][l], in[2][l], columns + l, LANES);
    for (int l = 0; l < LANES; l++)
      for (int c = 0; c < 22; c++) out[22 * (k + l) + c] = columns[LANES * c + l];
  }
  for (; k < n; k++) project_point(cam, &q, X[3 * k], X[3 * k + 1], X[3 * k + 2], out + 22 * k, 1);
}

/* Bundle adjustment in the large: p observations, blocks of 2 x 9 and 2 x 3; the rotation once for each camera. */
void bundle_blocks(int64_t cameras, int64_t observations, const double *restrict cam, const double *restrict X,
                   const int64_t *restrict camera_of, const int64_t *restrict point_of, double *restrict Jc,
                   double *restrict Jp, double *restrict work) {
  rotation *table = (rotation *)work; /* 36 doubles for each camera */
  for (int64_t c = 0; c < cameras; c++) table[c] = rotate(cam + 9 * c);
  for (int64_t k = 0; k < observations; k++, Jc += 18, Jp += 6) {
    const double *a = cam + 9 * camera_of[k], *x = X + 3 * point_of[k];
    const rotation *q = table + camera_of[k];
    double P[3];
    for (int i = 0; i < 3; i++) P[i] = q->R[i][0] * x[0] + q->R[i][1] * x[1] + q->R[i][2] * x[2] + a[3 + i];
    const double w = -1.0 / P[2], u = P[0] * w, v = P[1] * w, n = u * u + v * v, f = a[6];
    const double L = 1.0 + n * (a[7] + a[8] * n), M = 2.0 * (a[7] + 2.0 * a[8] * n);
    const double uu = f * (L + M * u * u), uv = f * M * u * v, vv = f * (L + M * v * v);
    const double g[2][3] = {{uu * w, uv * w, (uu * u + uv * v) * w}, {uv * w, vv * w, (uv * u + vv * v) * w}};
    for (int j = 0; j < 3; j++) {
      double T[3];
      for (int i = 0; i < 3; i++) T[i] = q->D[j][i][0] * x[0] + q->D[j][i][1] * x[1] + q->D[j][i][2] * x[2];
      for (int d = 0; d < 2; d++) {
        Jc[9 * d + j] = g[d][0] * T[0] + g[d][1] * T[1] + g[d][2] * T[2];
        Jc[9 * d + 3 + j] = g[d][j];
        Jp[3 * d + j] = g[d][0] * q->R[0][j] + g[d][1] * q->R[1][j] + g[d][2] * q->R[2][j];
      }
    }
    Jc[6] = L * u;
    Jc[15] = L * v;
    Jc[7] = f * n * u;
    Jc[16] = f * n * v;
    Jc[8] = f * n * n * u;
    Jc[17] = f * n * n * v;
  }
}
