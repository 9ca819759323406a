entry fold_matrix_and_count [k] [l] (m: [k][l]f64) (n: i64): ([k][l]f64, f64) =
  #[unsafe]
  let size = i64.max 0 n
  in loop (s_0, s_1) = (m, 1.0f64) for i < size do
    (tabulate_2d k l (\i0 i1 -> s_0[i0, i1] * s_1), s_1 + s_0[0i64, 0i64])
