def argmax [n] (xs: [n]f64): i64 =
  if n == 0 then 0
  else (reduce (\(a, i) (b, j) ->
                  if (!(f64.isnan a) && (f64.isnan b || b > a))
                     || ((a == b || (f64.isnan a && f64.isnan b)) && j < i)
                  then (b, j) else (a, i))
               (xs[0], 0i64)
               (zip xs (iota n))).1

entry argmax_1 [n] (v: [n]f64): i64 =
  #[unsafe]
  argmax (tabulate n (\i -> v[i]))
