entry while_1 [n] (v: [n]f64) (x: f64): ([n]f64, i64) =
  loop (s_0, s_1) = (copy v, 0i64) while (if s_1 < n
   then (let m = i64.max 0 s_1
         in f64.sum (tabulate m (\i -> (#[unsafe] s_0[i]))) < x)
   else false) do
    ((s_0 with [s_1] = x * s_0[s_1]), s_1 + 1i64)
