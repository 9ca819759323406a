"""A gradient as a C file that depends on nothing: saved, compiled with a small main, run without Python.

Prints what the C program prints: the gradient of a maximum over products.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import fsmooth as fs

MAIN = """
#include <stdio.h>
#include "gradient.h"

int main(void) {
    const double weights[4] = {1.0, 2.0, 3.0, 4.0}, x[4] = {5.0, -1.0, 2.5, 1.0};
    double result[4];
    fs_error error;
    if (grad_largest(weights, 4, x, 4, result, &error) != 0) {
        return 1;
    }
    printf("%g %g %g %g\\n", result[0], result[1], result[2], result[3]);
    return 0;
}
"""


@fs.function
def largest(weights, x):
    """The largest of weights[i] · x[i]²."""
    return max(weights[i] * x[i] ** 2 for i in range(len(x)))


def main() -> None:
    """Save, compile, run, compare."""
    gradient = fs.grad(largest)
    weights, x = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, -1.0, 2.5, 1.0])
    compiler = next(filter(None, map(shutil.which, ["cc", "gcc", "clang"])))
    with tempfile.TemporaryDirectory() as folder:
        source, _ = gradient.save(Path(folder) / "gradient", weights, x)
        (Path(folder) / "main.c").write_text(MAIN)
        program = Path(folder) / "program"
        subprocess.run([compiler, "-O2", "-Wall", "-o", program, source, source.parent / "main.c", "-lm"], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print("from C:", printed.strip())
    assert np.array_equal(np.array(printed.split(), float), gradient(weights, x))


if __name__ == "__main__":
    main()
