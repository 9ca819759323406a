"""Building, caching, loading and calling compiled programs (design §7)."""
