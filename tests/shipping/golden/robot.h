/* robot: made by fsmooth VERSION from test_names.py.  C99, libm only.  Re-entrant: no globals, no allocation, no input or output.
 * An array is a pointer to its elements, one row after the other, and its sizes.
 * Results come after the arguments, and overlap none.
 * work is memory for one call at a time, anywhere and of any content, of the size in bytes that NAME_work gives, or for
 * constants the macro NAME_WORK; a call that needs more than it is given is FS_ERROR_MEMORY.
 * Functions return FS_OK or what went wrong, of which *error says more; error may be NULL. */
#ifndef ROBOT_H
#define ROBOT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define ROBOT_ABI 1
#ifndef FS_STATUS
#define FS_STATUS
typedef enum {
    FS_OK = 0,
    FS_ERROR_RUN = 1,    /* what the program tests: an index, sizes that differ, an assertion, … */
    FS_ERROR_MEMORY = 2, /* too little of it */
    FS_ERROR_DEPTH = 3,  /* a function calls itself too often for the stack */
    FS_ERROR_TAPE = 4,   /* too little memory for a tape */
    FS_ERROR_SIZE = 5    /* another size than the one that is built in, or below zero */
} fs_status;
#endif
#ifndef FS_ERROR
#define FS_ERROR
typedef struct {
    int32_t site; /* where, or -1 */
    int32_t kind; /* the fs_status */
    int64_t numbers[2];
} fs_error;
#endif
#ifndef FS_WORK_BYTES
#define FS_WORK_MAX(a, b) ((a) > (b) ? (a) : (b))
#define FS_WORK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define FS_WORK_DIVIDE(a, b) ((a) / (b) - ((a) % (b) < 0))
#define FS_WORK_BYTES(count, size) ((FS_WORK_MAX(count, 0) * (size) + 63) / 64 * 64)
#endif

/* robot_step: The state a moment later.
 *   x (x_n0)
 *   u (u_n0)
 *   dt
 *   gives x_next (x_n0)
 *   time: 5·x_n0 + 2
 * Workspace: none; work may be NULL. */
size_t robot_step_work(int64_t x_n0, int64_t u_n0);
#define ROBOT_STEP_WORK(x_n0, u_n0) ((size_t)0)
int32_t robot_step(
    const double *x, int64_t x_n0, const double *u, int64_t u_n0, double dt, double *x_next, void *work,
    size_t size, fs_error *error);
int32_t robot_step_shape(
    const double *x, int64_t x_n0, const double *u, int64_t u_n0, double dt, int64_t *shape, fs_error *error);

/* robot_jacobian_step: the jacobian of step by u
 *   x (x_n0)
 *   u (u_n0)
 *   dt
 *   gives dx_next_du (x_n0, u_n0)
 *   time: 2·u_n0·x_n0 + 5·x_n0
 * Workspace: none; work may be NULL. */
size_t robot_jacobian_step_work(int64_t x_n0, int64_t u_n0);
#define ROBOT_JACOBIAN_STEP_WORK(x_n0, u_n0) ((size_t)0)
int32_t robot_jacobian_step(
    const double *x, int64_t x_n0, const double *u, int64_t u_n0, double dt, double *dx_next_du, void *work,
    size_t size, fs_error *error);
int32_t robot_jacobian_step_shape(
    const double *x, int64_t x_n0, const double *u, int64_t u_n0, double dt, int64_t *shape, fs_error *error);

/* robot_lengths: Of points in space.
 *   points (points_n0, points_n1 == 3 (built in))
 *   gives result (points_n0)
 *   time: 48·points_n0
 * Workspace: none; work may be NULL. */
size_t robot_lengths_work(int64_t points_n0, int64_t points_n1);
#define ROBOT_LENGTHS_WORK(points_n0, points_n1) ((size_t)0)
int32_t robot_lengths(
    const double *points, int64_t points_n0, int64_t points_n1, double *result, void *work, size_t size,
    fs_error *error);
int32_t robot_lengths_shape(
    const double *points, int64_t points_n0, int64_t points_n1, int64_t *shape, fs_error *error);

/* robot_slope: the grad of loss by W
 *   W (W_n0, W_n1)
 *   b (b_n0)
 *   gives dW (W_n0, b_n0)
 *   time: 7·W_n0·b_n0 + 5·W_n0 + 1 */
size_t robot_slope_work(int64_t W_n0, int64_t W_n1, int64_t b_n0);
#define ROBOT_SLOPE_WORK(W_n0, W_n1, b_n0) ((size_t)(64 \
    + FS_WORK_BYTES((int64_t)(W_n0), 8) \
    + FS_WORK_BYTES((int64_t)(W_n0), 8)))
int32_t robot_slope(
    const double *W, int64_t W_n0, int64_t W_n1, const double *b, int64_t b_n0, double *dW, void *work,
    size_t size, fs_error *error);
int32_t robot_slope_shape(
    const double *W, int64_t W_n0, int64_t W_n1, const double *b, int64_t b_n0, int64_t *shape,
    fs_error *error);

#ifndef FS_NO_TEXT
/* What went wrong, and the place in the program, if there is one: "" and 0 else. */
const char *robot_error_text(const fs_error *error, const char **file, int *line);
#endif
#ifdef __cplusplus
}
#endif
#endif
