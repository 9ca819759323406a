def states [n] (x: [n]f64) (dt: f64): [n]f64 =
  let t = 1.0f64 + dt
  let at = assert (0 <= 0i64 && 0i64 < n) 0i64
  let m = i64.max 0 (n - 1i64)
  let hot = (#[unsafe] x[at])
  in loop found = tabulate n (\j -> if j == at then hot else 0.0f64) for i < m do
    found with [i + 1i64] = (#[unsafe] found[i]) * t + f64.sin (#[unsafe] x[i + 1i64])

entry jvp_states [n] (x: [n]f64) (dt: f64) (dx: [n]f64) (ddt: f64): ([n]f64, [n]f64) =
  jvp2 (\(x, dt) -> states x dt) (x, dt) (dx, ddt)
