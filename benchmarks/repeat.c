/* Calls a function many times, so that what a Python call costs does not count.  Integers and pointers travel apart
   from floating-point numbers in the calling conventions of x86-64 (System V) and AArch64, each kind in its order. */
#include <stdint.h>

#define I4(k) i[k], i[(k) + 1], i[(k) + 2], i[(k) + 3]
#define I16(k) I4(k), I4((k) + 4), I4((k) + 8), I4((k) + 12)
#define D4 d[0], d[1], d[2], d[3]
#define T4 int64_t, int64_t, int64_t, int64_t
#define T16 T4, T4, T4, T4
#define F4 double, double, double, double

typedef int32_t (*entry)(T16, F4);
int32_t repeat(int64_t times, entry f, const int64_t *i, const double *d) {
  int32_t last = 0;
  for (int64_t k = 0; k < times; k++) last = f(I16(0), D4);
  return last;
}

/* The same for functions of up to 48 integers and pointers: a call costs some nanoseconds more. */
typedef int32_t (*wide_entry)(T16, T16, T16, F4);
int32_t repeat_wide(int64_t times, wide_entry f, const int64_t *i, const double *d) {
  int32_t last = 0;
  for (int64_t k = 0; k < times; k++) last = f(I16(0), I16(16), I16(32), D4);
  return last;
}
