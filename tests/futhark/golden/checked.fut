entry checked [n] [m] (v: [n]f64) (g: [m]i64): [m]f64 =
  tabulate m (\i -> v[(#[unsafe] g[i])])
