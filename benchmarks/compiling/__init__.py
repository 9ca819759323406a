"""How long users wait for the compiler: values, gradients, products with Hessians and Hessians of small programs."""
