  (local.set $at (i32.add (i32.const {faces_at}) (i32.shl (i32.shr_u (local.get $card)
    (i32.const 6)) (i32.const 3))))
  (local.set $bit (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $card))))
  (local.set $was_down (i64.ne (i64.and (i64.load (local.get $at)) (local.get $bit))
    (i64.const 0)))
  (local.set $is_down (i32.load (i32.add (i32.const {slot_faces}) (i32.shl (local.get $to)
    (i32.const 2)))))
  (if (i32.and (local.get $how) (i32.const 6)) (then
    (local.set $is_down (i32.shr_u (local.get $how) (i32.const 2)))))
  (if (i32.ne (local.get $was_down) (local.get $is_down)) (then
    (i64.store (local.get $at) (i64.xor (i64.load (local.get $at)) (local.get $bit)))))
