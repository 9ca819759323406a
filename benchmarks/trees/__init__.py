"""Trees and recursion: against C by hand, loops and derivatives by a tape."""
