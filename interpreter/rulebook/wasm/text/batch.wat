;; Many states, one after the other. Beside each lies what its seats know (`$mind`): for each seat and
;; card one byte, the slot where the seat knows the card to lie and 1 more (0: it does not know),
;; then for each seat the state entries as it was told of them. Events are not written: here they
;; are what the seats learn from. What a seat does not see changes its bytes in a way that depends
;; on nothing that it does not see.
(global $mind (mut i32) (i32.const 0))
(func $know (param $seats i32) (param $card i32) (param $slot i32)
  (local $at i32) (local $seat i32)
  (local.set $at (i32.add (global.get $mind) (local.get $card)))
  (loop $next
    (if (i32.and (i32.shr_u (local.get $seats) (local.get $seat)) (i32.const 1))
      (then (i32.store8 (local.get $at) (i32.add (local.get $slot) (i32.const 1)))))
    (local.set $at (i32.add (local.get $at) (i32.const {deck})))
    (local.set $seat (i32.add (local.get $seat) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $seat) (i32.const {players})))))
(func $lose (param $seats i32) (param $slot i32)
  ;; these seats do not know any more which cards lie in the slot
  (local $at i32) (local $end i32) (local $seat i32)
  (local.set $at (global.get $mind))
  (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
  (loop $next
    (local.set $end (i32.add (local.get $at) (i32.const {deck})))
    (if (i32.and (i32.shr_u (local.get $seats) (local.get $seat)) (i32.const 1))
      (then (loop $card
        (if (i32.eq (i32.load8_u (local.get $at)) (local.get $slot))
          (then (i32.store8 (local.get $at) (i32.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $card (i32.lt_u (local.get $at) (local.get $end))))))
    (local.set $at (local.get $end))
    (local.set $seat (i32.add (local.get $seat) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $seat) (i32.const {players})))))
(func $follow (param $seats i32) (param $card i32) (param $from i32) (param $to i32)
  ;; a card left a slot, not seen by these seats. From a slot with an order everyone saw its place,
  ;; so those who knew the card know where it went; without one, it can have been any card there
  (local $at i32) (local $seat i32)
  (if (i32.eqz (call $order_of (local.get $from)))
    (then (call $lose (local.get $seats) (local.get $from)) (return)))
  (local.set $at (i32.add (global.get $mind) (local.get $card)))
  (loop $next
    (if (i32.and
        (i32.and (i32.shr_u (local.get $seats) (local.get $seat)) (i32.const 1))
        (i32.eq (i32.load8_u (local.get $at)) (i32.add (local.get $from) (i32.const 1))))
      (then (i32.store8 (local.get $at) (i32.add (local.get $to) (i32.const 1)))))
    (local.set $at (i32.add (local.get $at) (i32.const {deck})))
    (local.set $seat (i32.add (local.get $seat) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $seat) (i32.const {players})))))
(func $hear (param $seats i32) (param $state i32) (param $index i32)
    (param $a i32) (param $b i32) (param $c i32) (param $d i32)
  ;; these seats are told of a state entry
  (local $row i32) (local $at i32) (local $words i32) (local $seat i32)
  (local.set $row (i32.add (i32.const {entries}) (i32.mul (local.get $state) (i32.const 12))))
  (local.set $words (i32.load offset=4 (local.get $row)))
  (if (i32.eqz (local.get $words)) (then (return)))
  (local.set $at (i32.add (i32.add (global.get $mind) (i32.load (local.get $row)))
    (i32.mul (i32.sub (local.get $index) (i32.load offset=8 (local.get $row)))
      (i32.shl (local.get $words) (i32.const 2)))))
  (loop $next
    (if (i32.and (i32.shr_u (local.get $seats) (local.get $seat)) (i32.const 1)) (then
      (i32.store (local.get $at) (local.get $a))
      (if (i32.gt_u (local.get $words) (i32.const 1))
        (then (i32.store offset=4 (local.get $at) (local.get $b))))
      (if (i32.gt_u (local.get $words) (i32.const 2)) (then
        (i32.store offset=8 (local.get $at) (local.get $c))
        (i32.store offset=12 (local.get $at) (local.get $d))))))
    (local.set $at (i32.add (local.get $at) (i32.const {told_size})))
    (local.set $seat (i32.add (local.get $seat) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $seat) (i32.const {players})))))
(func $event (param $kind i32) (param $audience i32) (param $a i32) (param $b i32) (param $c i32)
    (param $d i32) (param $e i32) (param $f i32)
  (local $card i32)
  (if (i32.eq (local.get $kind) (i32.const {moved})) (then
    (if (i32.ge_s (local.get $b) (i32.const 0)) (then
      (call $follow (i32.xor (local.get $audience) (i32.const -1))
        (local.get $a) (local.get $b) (local.get $c))))
    (call $know (local.get $audience) (local.get $a) (local.get $c)) (return)))
  (if (i32.eq (local.get $kind) (i32.const {set})) (then
    (call $hear (local.get $audience) (local.get $a) (local.get $b)
      (local.get $c) (local.get $d) (local.get $e) (local.get $f)) (return)))
  (if (i32.eq (local.get $kind) (i32.const {shuffled}))
    (then (call $lose (i32.const -1) (local.get $a)) (return)))
  (if (i32.or (i32.eq (local.get $kind) (i32.const {shown}))
      (i32.eq (local.get $kind) (i32.const {turned})))
    (then (call $know (local.get $audience) (local.get $a) (local.get $b)) (return)))
  (if (i32.eq (local.get $kind) (i32.const {gathered})) (then
    (loop $next
      (call $know (i32.const -1) (local.get $card) (local.get $a))
      (local.set $card (i32.add (local.get $card) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $card) (i32.const {deck})))))))
(func $look
  ;; every seat looks at what it sees
  (local $slot i32) (local $word i32) (local $seats i32) (local $cards i64) (local $at i32)
  (loop $next
    (local.set $seats (call $seers (local.get $slot)))
    (if (local.get $seats) (then
      (local.set $word (i32.const 0))
      (loop $words
        (local.set $at (call $bits_of (local.get $slot)
          (i32.shl (local.get $word) (i32.const 6))))
        (local.set $cards (i64.and (i64.load (local.get $at)) {face_up}))
        (block $done (loop $card
          (br_if $done (i64.eqz (local.get $cards)))
          (call $know (local.get $seats) (i32.add (i32.shl (local.get $word) (i32.const 6))
            (i32.wrap_i64 (i64.ctz (local.get $cards)))) (local.get $slot))
          (local.set $cards (i64.and (local.get $cards)
            (i64.sub (local.get $cards) (i64.const 1))))
          (br $card)))
        (local.set $word (i32.add (local.get $word) (i32.const 1)))
        (br_if $words (i32.lt_u (local.get $word) (i32.const {words}))))))
    (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $slot) (i32.const {slots})))))
(func $place_in (param $slot i32) (param $card i32) (result i32)
  ;; where a card stands, among those of its slot in deck order if the slot has no order
  (local $order i32) (local $count i32) (local $word i32)
  (local.set $order (call $order_of (local.get $slot)))
  (if (local.get $order)
    (then (return (call $place (local.get $order) (local.get $card)))))
  (loop $next
    (if (i32.lt_u (local.get $word) (i32.shr_u (local.get $card) (i32.const 6))) (then
      (local.set $count (i32.add (local.get $count) (i32.wrap_i64 (i64.popcnt (i64.load
        (call $bits_of (local.get $slot) (i32.shl (local.get $word) (i32.const 6))))))))
      (local.set $word (i32.add (local.get $word) (i32.const 1)))
      (br $next))))
  (i32.add (local.get $count) (i32.wrap_i64 (i64.popcnt (i64.and
    (i64.load (call $bits_of (local.get $slot) (local.get $card)))
    (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $card))) (i64.const 1)))))))
(func $conceal (param $row i32)
  ;; behind a picked card that the chooser does not see: its place and 1 more; behind others 0
  (local $pick i32) (local $at i32) (local $slot i32) (local $flags i32)
  (local.set $flags (i32.load (i32.add (i32.const {picked_cards})
    (i32.shl (i32.load (local.get $row)) (i32.const 2)))))
  (local.set $at (i32.add (local.get $row) (i32.const {row_head})))
  (loop $next
    (if (i32.and (local.get $flags) (i32.const 1)) (then
      (i32.store offset=4 (local.get $at) (i32.const 0))
      (local.set $slot (call $slot_of (i32.load (local.get $at))))
      (if (i32.ge_s (local.get $slot) (i32.const 0)) (then
        (if (i32.eqz (i32.and (i32.shr_u (call $card_seers (i32.load (local.get $at)))
            (i32.load (i32.const {chooser}))) (i32.const 1)))
          (then (i32.store offset=4 (local.get $at) (i32.add (i32.const 1)
            (call $place_in (local.get $slot) (i32.load (local.get $at)))))))))))
    (local.set $at (i32.add (local.get $at) (i32.const {row_cell})))
    (local.set $flags (i32.shr_u (local.get $flags) (i32.const 1)))
    (br_if $next (local.get $flags))))
(func $batch (param $count i32) (result i32)
  ;; Steps the states in the first `count` places, each as its ticket says: begin with a seed (its
  ;; first word is 1), or carry on with the move in it. The ticket then holds the number of legal
  ;; moves, which are listed for one state after the other, and the number of the position. How many
  ;; states were stepped: fewer than asked for if there is no more room for moves.
  (local $done i32) (local $place i32) (local $ticket i32) (local $out i32) (local $rows i32)
  (local $size i32)
  (local.set $place (i32.const {places}))
  (local.set $ticket (i32.const {tickets}))
  (local.set $out (i32.const {listed}))
  (block $stop (loop $again
    (i32.store (i32.const {served}) (local.get $done))
    (br_if $stop (i32.ge_s (local.get $done) (local.get $count)))
    (br_if $stop (i32.gt_u (local.get $out) (i32.const {listed_full})))
    (global.set $mind (i32.add (local.get $place) (i32.const {mind})))
    (global.set $fuel (i32.const {fuel}))
    (global.set $searched (i32.const 0))
    (global.set $stack (i32.const {splits}))
    (if (i32.load (local.get $ticket))
      (then
        (call $reset (i64.load offset=8 (local.get $ticket)))
        (memory.fill (global.get $mind) (i32.const 0) (i32.const {mind_size}))
        {first_told})
      (else (memory.copy (i32.const {state}) (local.get $place) (i32.const {state_size}))))
    (i32.store (i32.const {chosen}) (i32.add (local.get $ticket) (i32.const 16)))
    (call $run)
    (call $look)
    (local.set $rows (i32.const 0))
    (if (i32.eqz (i32.load (i32.const {over}))) (then
      {position}
      (local.set $rows (i32.load (i32.const {row_count})))))
    (i32.store offset=4 (local.get $ticket) (local.get $rows))
    (local.set $size (i32.mul (local.get $rows) (i32.const {row_size})))
    (memory.copy (local.get $out) (i32.const {rows}) (local.get $size))
    (block $hidden (loop $row
      (br_if $hidden (i32.eqz (local.get $rows)))
      (call $conceal (local.get $out))
      (local.set $out (i32.add (local.get $out) (i32.const {row_size})))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br $row)))
    (memory.copy (local.get $place) (i32.const {state}) (i32.const {state_size}))
    (local.set $done (i32.add (local.get $done) (i32.const 1)))
    (local.set $place (i32.add (local.get $place) (i32.const {place_size})))
    (local.set $ticket (i32.add (local.get $ticket) (i32.const {ticket_size})))
    (br $again)))
  (local.get $done))
