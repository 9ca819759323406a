"""Bundle adjustment of the Ladybug problem, or of a made one; the same as `fsmooth demo bundle-adjustment`."""

from fsmooth.demo.bundle_adjustment import main

if __name__ == "__main__":
    raise SystemExit(main())
