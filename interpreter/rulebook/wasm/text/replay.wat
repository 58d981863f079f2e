;; While the moves of a script are replayed, nothing is told: what one seat would be told is mixed
;; into one number instead, event by event, without what that seat may not know.
(global $witness (mut i32) (i32.const -1))
(global $seen (mut i64) (i64.const 0))
(func $mix_in (param $value i32)
  (global.set $seen (call $mix (i64.add (i64.const {golden})
    (i64.xor (global.get $seen) (i64.extend_i32_u (local.get $value)))))))
(func $witnessed (param $kind i32) (param $audience i32) (param $a i32) (param $b i32)
    (param $c i32) (param $d i32) (param $e i32) (param $f i32)
  (if (i32.eqz (i32.and (i32.shr_u (local.get $audience) (global.get $witness)) (i32.const 1)))
    (then
      (if (i32.or (i32.eq (local.get $kind) (i32.const {moved}))
          (i32.eq (local.get $kind) (i32.const {turned})))
        (then (local.set $a (i32.const -1)))
        (else
          ;; of a pick the place is known, of anything else nothing
          (if (i32.or (i32.ne (local.get $kind) (i32.const {argument}))
              (i32.lt_s (local.get $a) (i32.const 0)))
            (then (return)))
          (local.set $c (i32.const 0)) (local.set $d (i32.const 0))
          (local.set $e (i32.const 0)) (local.set $f (i32.const 0))))))
  (call $mix_in (local.get $kind))
  (call $mix_in (local.get $a)) (call $mix_in (local.get $b)) (call $mix_in (local.get $c))
  (call $mix_in (local.get $d)) (call $mix_in (local.get $e)) (call $mix_in (local.get $f)))
(func $fits (param $wanted i32) (param $row i32) (result i32)
  ;; whether a listed move is the wanted one; each of its picks is compared as its mode says:
  ;; 0 a word, 1 not at all, 2 the place of the card, 3 one word of a set, 4 two words
  (local $pick i32) (local $mode i32) (local $at i32) (local $other i32) (local $card i32)
  (if (i32.ne (i32.load (local.get $wanted)) (i32.load (local.get $row)))
    (then (return (i32.const 0))))
  (loop $next
    (local.set $at (i32.add (local.get $wanted) (i32.add (i32.const {row_head})
      (i32.mul (local.get $pick) (i32.const {row_cell})))))
    (local.set $other (i32.add (local.get $row) (i32.sub (local.get $at) (local.get $wanted))))
    (local.set $mode (i32.load8_u offset=4 (i32.add (local.get $wanted) (local.get $pick))))
    (if (i32.eqz (local.get $mode)) (then
      (if (i32.ne (i32.load (local.get $at)) (i32.load (local.get $other)))
        (then (return (i32.const 0))))))
    (if (i32.eq (local.get $mode) (i32.const 2)) (then
      (local.set $card (i32.load (local.get $other)))
      (if (i32.ne (i32.load (local.get $at))
          (call $place (call $order_of (call $slot_of (local.get $card))) (local.get $card)))
        (then (return (i32.const 0))))))
    (if (i32.ge_u (local.get $mode) (i32.const 3)) (then
      (if (i64.ne (i64.load (local.get $at)) (i64.load (local.get $other)))
        (then (return (i32.const 0))))))
    (if (i32.eq (local.get $mode) (i32.const 4)) (then
      (if (i64.ne (i64.load offset=8 (local.get $at)) (i64.load offset=8 (local.get $other)))
        (then (return (i32.const 0))))))
    (local.set $pick (i32.add (local.get $pick) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $pick) (i32.const {most_picks}))))
  (i32.const 1))
(func $find_row (param $wanted i32) (result i32)
  ;; a listed move that is the wanted one, any of them with equal chances, or 0
  (local $row i32) (local $end i32) (local $found i32) (local $count i32)
  (local.set $row (i32.const {rows}))
  (local.set $end (i32.add (local.get $row)
    (i32.mul (i32.load (i32.const {row_count})) (i32.const {row_size}))))
  (block $done (loop $again
    (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
    (if (call $fits (local.get $wanted) (local.get $row)) (then
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (if (i32.eqz (call $bot_below (local.get $count)))
        (then (local.set $found (local.get $row))))))
    (local.set $row (i32.add (local.get $row) (i32.const {row_size})))
    (br $again)))
  (local.get $found))
(func $replay (param $count i32) (param $seat i32) (param $begin i32) (result i32 i64)
  ;; plays the first `count` moves of the script (after running to the first choice, if `begin`);
  ;; how many were legal in their turn, and what the seat was told, as one number
  (local $done i32) (local $row i32)
  (global.set $witness (local.get $seat))
  (global.set $seen (i64.const 0))
  (if (local.get $begin) (then (call $run)))
  (block $stop (loop $again
    (br_if $stop (i32.ge_s (local.get $done) (local.get $count)))
    (br_if $stop (i32.load (i32.const {over})))
    (local.set $row (call $find_row (i32.add (i32.const {script})
      (i32.mul (local.get $done) (i32.const {row_size})))))
    (br_if $stop (i32.eqz (local.get $row)))
    (i32.store (i32.const {chosen}) (local.get $row))
    (call $run)
    (local.set $done (i32.add (local.get $done) (i32.const 1)))
    (br $again)))
  (global.set $witness (i32.const -1))
  (local.get $done) (global.get $seen))
