  ;; one draw below $wide from the generator $s, in the high half of $m; kept in line, since the
  ;; machine makes real calls and every shuffle draws dozens of times
  (block $drawn (loop $draw
    (local.set $s (i64.add (local.get $s) (i64.const {golden})))
    (local.set $z (i64.mul (i64.xor (local.get $s) (i64.shr_u (local.get $s) (i64.const 30)))
      (i64.const -4658895280553007687)))
    (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27)))
      (i64.const -7723592293110705685)))
    (local.set $z (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31))))
    (local.set $m (i64.mul (i64.shr_u (local.get $z) (i64.const 32)) (local.get $wide)))
    (br_if $drawn (i64.ge_u (i64.and (local.get $m) (i64.const 4294967295)) (local.get $wide)))
    (br_if $draw (i64.lt_u (i64.and (local.get $m) (i64.const 4294967295))
      (i64.rem_u (i64.sub (i64.const 4294967296) (local.get $wide)) (local.get $wide))))))
