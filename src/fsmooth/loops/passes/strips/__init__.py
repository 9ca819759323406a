"""Strip-mining: loops over many points run strip by strip, so that what is computed of a strip stays in the fastest cache."""
