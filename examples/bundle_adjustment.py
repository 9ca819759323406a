"""Bundle adjustment of the Ladybug problem; the same as `fsmooth demo bundle-adjustment`."""

from fsmooth.demo.bundle_adjustment import main

if __name__ == "__main__":
    raise SystemExit(main())
