"""The derivatives of the field's workloads against their own primals, against C by hand and against JAX."""
