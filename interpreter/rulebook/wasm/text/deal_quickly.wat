  ;; nobody watches: to a zone without an order all cards go at once, as bits
  (if (i32.eqz (call $order_of (local.get $to))) (then
    (local.set $left (i32.load (local.get $order)))
    (if (i32.gt_s (local.get $count) (local.get $left))
      (then (local.set $count (local.get $left))))
    (block $dealt (loop $card
      (br_if $dealt (i32.le_s (local.get $count) (i32.const 0)))
      (local.set $cards (i64.or (local.get $cards) (i64.shl (i64.const 1) (i64.load8_u offset=3
        (i32.add (local.get $order) (local.get $left))))))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $card)))
    (i32.store (local.get $order) (local.get $left))
    (local.set $from (call $bits_of (local.get $from) (i32.const 0)))
    (local.set $to (call $bits_of (local.get $to) (i32.const 0)))
    (i64.store (local.get $from) (i64.xor (i64.load (local.get $from)) (local.get $cards)))
    (i64.store (local.get $to) (i64.or (i64.load (local.get $to)) (local.get $cards)))
    (return)))
