"""What `method="auto"` takes, against what is fastest: every route of many derivatives at many shapes."""
