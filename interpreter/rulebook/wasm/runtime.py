"""The few routines that every module carries: chance, ordered zones, events, wide sets.

The generator is SplitMix64, its draws Lemire's; docs/language.md states both, since a seed must
give the same game in every release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.program import HEADER
from rulebook.wasm.writer import CONTROL, EVENT_SIZE, STATE

if TYPE_CHECKING:
    from rulebook.wasm.values import Module

GOLDEN = -7046029254386353131
FUEL = 100_000
"""Turns of open-ended loops between two choices."""
SEARCH_LIMIT = 5_000_000
"""Groups of cards that searches may look at between two choices."""

CHANCE = """
(func $mix (param $z i64) (result i64)
  (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30)))
    (i64.const -4658895280553007687)))
  (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27)))
    (i64.const -7723592293110705685)))
  (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31))))
(func $stream (param $seed i64) (param $site i64) (param $use i64) (result i64)
  (call $mix (i64.add
    (call $mix (i64.add (local.get $seed)
      (i64.mul (i64.const {golden}) (i64.add (local.get $site) (i64.const 1)))))
    (i64.mul (i64.const {golden}) (i64.add (local.get $use) (i64.const 1))))))
(func $below (param $n i32) (result i32)
  (local $s i64) (local $z i64) (local $m i64) (local $wide i64)
  (if (i32.le_u (local.get $n) (i32.const 1)) (then (return (i32.const 0))))
  (local.set $wide (i64.extend_i32_u (local.get $n)))
  (local.set $s (global.get $chance))
  {draw}
  (global.set $chance (local.get $s))
  (i32.wrap_i64 (i64.shr_u (local.get $m) (i64.const 32))))
(func $open (param $site i32) (result i32)
  ;; starts the stream of one use of a chance site; the number of the use
  (local $cell i32) (local $use i32)
  (local.set $cell (i32.add (i32.const {chances}) (i32.shl (local.get $site) (i32.const 2))))
  (local.set $use (i32.load (local.get $cell)))
  (i32.store (local.get $cell) (i32.add (local.get $use) (i32.const 1)))
  (global.set $chance (call $stream (i64.load (i32.const {seed}))
    (i64.extend_i32_u (local.get $site)) (i64.extend_i32_u (local.get $use))))
  (local.get $use))
(func $supplied (param $site i32) (param $use i32) (result i32)
  ;; the outcome given from outside: address of its length and bytes, or 0
  (local $at i32)
  (local.set $at (i32.load (i32.const {supply})))
  (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
  (loop $search
    (if (i32.lt_s (i32.load (local.get $at)) (i32.const 0)) (then (return (i32.const 0))))
    (if (i32.and (i32.eq (i32.load (local.get $at)) (local.get $site))
        (i32.eq (i32.load offset=4 (local.get $at)) (local.get $use)))
      (then (return (i32.add (local.get $at) (i32.const 8)))))
    (local.set $at (i32.add (local.get $at)
      (i32.add (i32.const 12) (i32.and (i32.add (i32.load offset=8 (local.get $at)) (i32.const 3))
        (i32.const -4)))))
    (br $search))
  (unreachable))
(func $shuffle (param $order i32) (param $site i32)
  (local $i i32) (local $j i32) (local $use i32) (local $byte i32) (local $cards i32)
  (local $s i64) (local $z i64) (local $m i64) (local $wide i64)
  (local.set $use (call $open (local.get $site)))
  (local.set $cards (i32.add (local.get $order) (i32.const 4)))
  (local.set $j (call $supplied (local.get $site) (local.get $use)))
  (if (local.get $j) (then
    (if (i32.ne (i32.load (local.get $j)) (i32.load (local.get $order)))
      (then (call $fail (i32.const -2) (local.get $site))))
    (memory.copy (local.get $cards) (i32.add (local.get $j) (i32.const 4))
      (i32.load (local.get $order)))
    (return)))
  (local.set $s (global.get $chance))
  (local.set $i (i32.load (local.get $order)))
  (block $sorted (loop $card
    (br_if $sorted (i32.le_u (local.get $i) (i32.const 1)))
    (local.set $wide (i64.extend_i32_u (local.get $i)))
    {draw}
    (local.set $j (i32.add (local.get $cards)
      (i32.wrap_i64 (i64.shr_u (local.get $m) (i64.const 32)))))
    (local.set $i (i32.sub (local.get $i) (i32.const 1)))
    (local.set $byte (i32.load8_u (local.get $j)))
    (i32.store8 (local.get $j)
      (i32.load8_u (i32.add (local.get $cards) (local.get $i))))
    (i32.store8 (i32.add (local.get $cards) (local.get $i)) (local.get $byte))
    (br $card)))
  (global.set $chance (local.get $s)))
(func $start_bots
  (i64.store (i32.const {bot}) (call $stream (i64.load (i32.const {seed}))
    (i64.const 4294967295) (i64.const 0))))
(func $bot_below (param $n i32) (result i32)
  (local $s i64) (local $z i64) (local $m i64) (local $wide i64)
  (if (i32.le_u (local.get $n) (i32.const 1)) (then (return (i32.const 0))))
  (local.set $wide (i64.extend_i32_u (local.get $n)))
  (local.set $s (i64.load (i32.const {bot})))
  {draw}
  (i64.store (i32.const {bot}) (local.get $s))
  (i32.wrap_i64 (i64.shr_u (local.get $m) (i64.const 32))))
"""

DRAW = """
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
"""

ZONES = """
(func $push (param $order i32) (param $card i32)
  (local $count i32)
  (local.set $count (i32.load (local.get $order)))
  (i32.store8 offset=4 (i32.add (local.get $order) (local.get $count)) (local.get $card))
  (i32.store (local.get $order) (i32.add (local.get $count) (i32.const 1))))
(func $push_bottom (param $order i32) (param $card i32)
  (local $count i32)
  (local.set $count (i32.load (local.get $order)))
  (memory.copy (i32.add (local.get $order) (i32.const 5))
    (i32.add (local.get $order) (i32.const 4)) (local.get $count))
  (i32.store8 offset=4 (local.get $order) (local.get $card))
  (i32.store (local.get $order) (i32.add (local.get $count) (i32.const 1))))
(func $place (param $order i32) (param $card i32) (result i32)
  ;; the position of a card that is there
  (local $i i32)
  (local.set $i (i32.sub (i32.load (local.get $order)) (i32.const 1)))
  (loop $search
    (if (i32.eq (i32.load8_u offset=4 (i32.add (local.get $order) (local.get $i)))
        (local.get $card))
      (then (return (local.get $i))))
    (local.set $i (i32.sub (local.get $i) (i32.const 1)))
    (br_if $search (i32.ge_s (local.get $i) (i32.const 0))))
  (i32.const -1))
(func $drop (param $order i32) (param $card i32)
  (local $i i32) (local $count i32)
  (local.set $i (call $place (local.get $order) (local.get $card)))
  (local.set $count (i32.sub (i32.load (local.get $order)) (i32.const 1)))
  (i32.store (local.get $order) (local.get $count))
  (memory.copy (i32.add (i32.add (local.get $order) (i32.const 4)) (local.get $i))
    (i32.add (i32.add (local.get $order) (i32.const 5)) (local.get $i))
    (i32.sub (local.get $count) (local.get $i))))
(func $order_of (param $slot i32) (result i32)
  (i32.load (i32.add (i32.const {slot_orders}) (i32.shl (local.get $slot) (i32.const 2)))))
(func $bits_of (param $slot i32) (param $card i32) (result i32)
  ;; the address of the word that holds the card's bit
  (i32.add (i32.add (i32.const {bits}) (i32.mul (local.get $slot) (i32.const {set_bytes})))
    (i32.shl (i32.shr_u (local.get $card) (i32.const 6)) (i32.const 3))))
(func $slot_of (param $card i32) (result i32)
  (local $slot i32)
  (loop $search
    (if (i64.ne (i64.and (i64.load (call $bits_of (local.get $slot) (local.get $card)))
          (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $card)))) (i64.const 0))
      (then (return (local.get $slot))))
    (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
    (br_if $search (i32.lt_u (local.get $slot) (i32.const {slots}))))
  (i32.const -1))
(func $shift (param $card i32) (param $from i32) (param $to i32) (param $how i32)
  ;; `how`: 1 to the bottom, 2 face up, 4 face down, else as the zone says
  ;; one card from slot to slot; `from` -1 is wherever it lies (nowhere, before the first gather)
  (local $bit i64) (local $order i32) (local $at i32) (local $position i32) (local $bottom i32)
  (local $was_down i32) (local $is_down i32)
  (local.set $bottom (i32.and (local.get $how) (i32.const 1)))
  {faces}
  (local.set $bit (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $card))))
  (local.set $position (i32.const -1))
  (if (i32.lt_s (local.get $from) (i32.const 0))
    (then (local.set $from (call $slot_of (local.get $card)))))
  (if (i32.ge_s (local.get $from) (i32.const 0)) (then
    (local.set $order (call $order_of (local.get $from)))
    (if (local.get $order) (then
      (local.set $position (call $place (local.get $order) (local.get $card)))
      (call $drop (local.get $order) (local.get $card))))
    (local.set $at (call $bits_of (local.get $from) (local.get $card)))
    (i64.store (local.get $at) (i64.and (i64.load (local.get $at))
      (i64.xor (local.get $bit) (i64.const -1))))))
  (local.set $at (call $bits_of (local.get $to) (local.get $card)))
  (i64.store (local.get $at) (i64.or (i64.load (local.get $at)) (local.get $bit)))
  (local.set $order (call $order_of (local.get $to)))
  (if (local.get $order) (then
    (if (local.get $bottom)
      (then (call $push_bottom (local.get $order) (local.get $card)))
      (else (call $push (local.get $order) (local.get $card))))))
  {moved_event})
(func $shift_all (param $from i32) (param $to i32) (param $how i32)
  ;; a whole slot, an ordered one from its bottom up, another in deck order
  (local $order i32) (local $card i32)
  (if (i32.eq (local.get $from) (local.get $to)) (then (return)))
  (local.set $order (call $order_of (local.get $from)))
  (if (local.get $order)
    (then
      (block $done (loop $again
        (br_if $done (i32.eqz (i32.load (local.get $order))))
        (call $shift (i32.load8_u offset=4 (local.get $order)) (local.get $from) (local.get $to)
          (local.get $how))
        (br $again))))
    (else
      (block $done (loop $again
        (local.set $card (call $first_in (local.get $from)))
        (br_if $done (i32.lt_s (local.get $card) (i32.const 0)))
        (call $shift (local.get $card) (local.get $from) (local.get $to) (local.get $how))
        (br $again))))))
(func $first_in (param $slot i32) (result i32)
  (local $word i64) (local $at i32) (local $base i32)
  (local.set $at (call $bits_of (local.get $slot) (i32.const 0)))
  (loop $next
    (local.set $word (i64.load (i32.add (local.get $at) (i32.shr_u (local.get $base)
      (i32.const 3)))))
    (if (i64.ne (local.get $word) (i64.const 0)) (then
      (return (i32.add (local.get $base) (i32.wrap_i64 (i64.ctz (local.get $word)))))))
    (local.set $base (i32.add (local.get $base) (i32.const 64)))
    (br_if $next (i32.lt_u (local.get $base) (i32.const {deck_bits}))))
  (i32.const -1))
(func $deal (param $count i32) (param $from i32) (param $to i32)
  ;; cards from the top, as many as there are
  (local $order i32) (local $left i32) (local $cards i64)
  (local.set $order (call $order_of (local.get $from)))
  {deal_quickly}
  (block $done (loop $again
    (local.set $left (i32.load (local.get $order)))
    (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
    (br_if $done (i32.eqz (local.get $left)))
    (call $shift (i32.load8_u offset=3 (i32.add (local.get $order) (local.get $left)))
      (local.get $from) (local.get $to) (i32.const 0))
    (local.set $count (i32.sub (local.get $count) (i32.const 1)))
    (br $again))))
(func $end_card (param $order i32) (param $last i32) (result i32)
  (local $count i32)
  (local.set $count (i32.load (local.get $order)))
  (if (i32.eqz (local.get $count)) (then (return (i32.const -1))))
  (if (result i32) (local.get $last)
    (then (i32.load8_u offset=3 (i32.add (local.get $order) (local.get $count))))
    (else (i32.load8_u offset=4 (local.get $order)))))
(func $turn_first (param $set i64) (param $from i32) (result i32)
  ;; the first player of a set that is not empty, from `from` on in seat order
  (local $later i64)
  (local.set $later (i64.and (local.get $set)
    (i64.shl (i64.const -1) (i64.extend_i32_u (local.get $from)))))
  (i32.wrap_i64 (i64.ctz (select (local.get $later) (local.get $set)
    (i64.ne (local.get $later) (i64.const 0))))))
(func $turn_last (param $set i64) (param $from i32) (result i32)
  ;; the same against seat order
  (local $later i64)
  (local.set $later (i64.and (local.get $set)
    (i64.shr_u (i64.const -1) (i64.sub (i64.const 63) (i64.extend_i32_u (local.get $from))))))
  (i32.sub (i32.const 63) (i32.wrap_i64 (i64.clz (select (local.get $later) (local.get $set)
    (i64.ne (local.get $later) (i64.const 0)))))))
(func $nth1 (param $set i64) (param $n i32) (result i32)
  (block $done (loop $again
    (br_if $done (i32.eqz (local.get $n)))
    (local.set $set (i64.and (local.get $set) (i64.sub (local.get $set) (i64.const 1))))
    (local.set $n (i32.sub (local.get $n) (i32.const 1)))
    (br $again)))
  (i32.wrap_i64 (i64.ctz (local.get $set))))
(func $floor_div (param $a i32) (param $b i32) (result i32)
  (local $q i32)
  (local.set $q (i32.div_s (local.get $a) (local.get $b)))
  (i32.sub (local.get $q) (i32.and (i32.lt_s (local.get $a) (i32.const 0))
    (i32.ne (i32.mul (local.get $q) (local.get $b)) (local.get $a)))))
(func $fail (param $site i32) (param $value i32)
  (i32.store (i32.const {error}) (local.get $site))
  (i32.store (i32.const {error_value}) (local.get $value))
  (unreachable))
(func $tick (param $site i32)
  (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1)))
  (if (i32.lt_s (global.get $fuel) (i32.const 0))
    (then (call $fail (local.get $site) (i32.const 0)))))
"""

FACES = """
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
"""

DEAL_QUICKLY = """
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
"""

GROUPS = """
(func $work (param $site i32)
  (global.set $searched (i32.add (global.get $searched) (i32.const 1)))
  (if (i32.gt_s (global.get $searched) (i32.const {search_limit}))
    (then (call $fail (local.get $site) (i32.const 0)))))
(func $next_subset (param $x i64) (result i64)
  ;; the next number with as many bits
  (local $low i64) (local $up i64)
  (local.set $low (i64.and (local.get $x) (i64.sub (i64.const 0) (local.get $x))))
  (local.set $up (i64.add (local.get $x) (local.get $low)))
  (i64.or (local.get $up) (i64.shr_u (i64.xor (local.get $up) (local.get $x))
    (i64.add (i64.const 2) (i64.ctz (local.get $x))))))
(func $deposit (param $source i64) (param $index i64) (result i64)
  ;; the members of the source whose places are in the index
  (local $result i64)
  (block $done (loop $again
    (br_if $done (i64.eqz (local.get $index)))
    (if (i64.ne (i64.and (local.get $index) (i64.const 1)) (i64.const 0))
      (then (local.set $result (i64.or (local.get $result)
        (i64.and (local.get $source) (i64.sub (i64.const 0) (local.get $source)))))))
    (local.set $source (i64.and (local.get $source) (i64.sub (local.get $source) (i64.const 1))))
    (local.set $index (i64.shr_u (local.get $index) (i64.const 1)))
    (br $again)))
  (local.get $result))
(func $deposit2 (param $a i64) (param $b i64) (param $index i64) (result i64 i64)
  (call $deposit (local.get $a) (i64.and (local.get $index)
    (i64.sub (i64.shl (i64.const 1) (i64.popcnt (local.get $a))) (i64.const 1))))
  (call $deposit (local.get $b) (i64.shr_u (local.get $index) (i64.popcnt (local.get $a)))))
(func $best_split (param $row i32) (param $end i32) (param $site i32) (result i32)
  ;; keeps of the listed groups those of the best split; the new end of the list
  (local $i i32) (local $from i32)
  (global.set $best_worth (i32.const 0))
  (global.set $best_count (i32.const 0))
  (call $split_from (local.get $row) (local.get $end) (i64.const 0) (i64.const 0) (i32.const 0)
    (i32.const 0) (local.get $end) (local.get $site))
  (block $done (loop $again
    (br_if $done (i32.ge_s (local.get $i) (global.get $best_count)))
    (local.set $from (i32.load offset=1024 (i32.add (local.get $end)
      (i32.shl (local.get $i) (i32.const 2)))))
    (memory.copy (i32.add (local.get $row) (i32.mul (local.get $i) (i32.const 24)))
      (local.get $from) (i32.const 24))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $again)))
  (i32.add (local.get $row) (i32.mul (global.get $best_count) (i32.const 24))))
(func $split_from (param $row i32) (param $end i32) (param $a i64) (param $b i64)
    (param $worth i32) (param $depth i32) (param $now i32) (param $site i32)
  (call $work (local.get $site))
  (if (i32.gt_s (local.get $worth) (global.get $best_worth)) (then
    (global.set $best_worth (local.get $worth))
    (global.set $best_count (local.get $depth))
    (memory.copy (i32.add (local.get $now) (i32.const 1024)) (local.get $now)
      (i32.shl (local.get $depth) (i32.const 2)))))
  (block $done (loop $again
    (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
    (if (i32.and (i32.gt_s (i32.load offset=16 (local.get $row)) (i32.const 0))
        (i64.eqz (i64.or (i64.and (i64.load (local.get $row)) (local.get $a))
          (i64.and (i64.load offset=8 (local.get $row)) (local.get $b)))))
      (then
        (i32.store (i32.add (local.get $now) (i32.shl (local.get $depth) (i32.const 2)))
          (local.get $row))
        (call $split_from (i32.add (local.get $row) (i32.const 24)) (local.get $end)
          (i64.or (local.get $a) (i64.load (local.get $row)))
          (i64.or (local.get $b) (i64.load offset=8 (local.get $row)))
          (i32.add (local.get $worth) (i32.load offset=16 (local.get $row)))
          (i32.add (local.get $depth) (i32.const 1)) (local.get $now) (local.get $site))))
    (local.set $row (i32.add (local.get $row) (i32.const 24)))
    (br $again))))
"""

WIDE = """
(func $or2 (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  (i64.or (local.get $a) (local.get $c)) (i64.or (local.get $b) (local.get $d)))
(func $and2 (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  (i64.and (local.get $a) (local.get $c)) (i64.and (local.get $b) (local.get $d)))
(func $minus2 (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64 i64)
  (i64.and (local.get $a) (i64.xor (local.get $c) (i64.const -1)))
  (i64.and (local.get $b) (i64.xor (local.get $d) (i64.const -1))))
(func $equal2 (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i32)
  (i32.and (i64.eq (local.get $a) (local.get $c)) (i64.eq (local.get $b) (local.get $d))))
(func $count2 (param $a i64) (param $b i64) (result i32)
  (i32.wrap_i64 (i64.add (i64.popcnt (local.get $a)) (i64.popcnt (local.get $b)))))
(func $single2 (param $i i32) (result i64 i64)
  (local $bit i64)
  (local.set $bit (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $i))))
  (select (local.get $bit) (i64.const 0) (i32.lt_u (local.get $i) (i32.const 64)))
  (select (i64.const 0) (local.get $bit) (i32.lt_u (local.get $i) (i32.const 64))))
(func $contains2 (param $a i64) (param $b i64) (param $i i32) (result i32)
  (i32.wrap_i64 (i64.and (i64.const 1) (i64.shr_u
    (select (local.get $a) (local.get $b) (i32.lt_u (local.get $i) (i32.const 64)))
    (i64.extend_i32_u (local.get $i))))))
(func $lowest2 (param $a i64) (param $b i64) (result i32)
  (if (result i32) (i64.eqz (local.get $a))
    (then (i32.add (i32.const 64) (i32.wrap_i64 (i64.ctz (local.get $b)))))
    (else (i32.wrap_i64 (i64.ctz (local.get $a))))))
(func $highest2 (param $a i64) (param $b i64) (result i32)
  (if (result i32) (i64.eqz (local.get $b))
    (then (i32.sub (i32.const 63) (i32.wrap_i64 (i64.clz (local.get $a)))))
    (else (i32.sub (i32.const 127) (i32.wrap_i64 (i64.clz (local.get $b)))))))
(func $rest2 (param $a i64) (param $b i64) (result i64 i64)
  (if (result i64 i64) (i64.eqz (local.get $a))
    (then (i64.const 0) (i64.and (local.get $b) (i64.sub (local.get $b) (i64.const 1))))
    (else (i64.and (local.get $a) (i64.sub (local.get $a) (i64.const 1))) (local.get $b))))
(func $nth2 (param $a i64) (param $b i64) (param $n i32) (result i32)
  (local $here i32)
  (local.set $here (i32.wrap_i64 (i64.popcnt (local.get $a))))
  (if (result i32) (i32.lt_u (local.get $n) (local.get $here))
    (then (call $nth1 (local.get $a) (local.get $n)))
    (else (i32.add (i32.const 64)
      (call $nth1 (local.get $b) (i32.sub (local.get $n) (local.get $here)))))))
(func $store2 (param $at i32) (param $a i64) (param $b i64)
  (i64.store (local.get $at) (local.get $a)) (i64.store offset=8 (local.get $at) (local.get $b)))
"""

EVENT = """
(func $event (param $kind i32) (param $audience i32) (param $a i32) (param $b i32) (param $c i32)
    (param $d i32) (param $e i32) (param $f i32)
  (local $at i32)
  (local.set $at (i32.load (i32.const {events_end})))
  ;; Full: the run goes on untold, so that a loop without end is still found at its line.
  (if (i32.ge_u (local.get $at) (i32.const {events_limit}))
    (then (i32.store (i32.const {events_end}) (i32.const {events_over})) (return)))
  (i32.store (local.get $at) (local.get $kind))
  (i32.store offset=4 (local.get $at) (local.get $audience))
  (i32.store offset=8 (local.get $at) (local.get $a))
  (i32.store offset=12 (local.get $at) (local.get $b))
  (i32.store offset=16 (local.get $at) (local.get $c))
  (i32.store offset=20 (local.get $at) (local.get $d))
  (i32.store offset=24 (local.get $at) (local.get $e))
  (i32.store offset=28 (local.get $at) (local.get $f))
  (i32.store (i32.const {events_end}) (i32.add (local.get $at) (i32.const {event_size}))))
"""

EVENT_KINDS = (
    "moved",
    "gathered",
    "shuffled",
    "set",
    "chose",
    "argument",
    "said",
    "ended",
    "shown",
    "turned",
)


def event(kind: str, audience: str, *values: str) -> str:
    """Code that writes one event; missing values are 0."""
    rest = list(values) + ["(i32.const 0)"] * (6 - len(values))
    return f"(call $event (i32.const {EVENT_KINDS.index(kind)}) {audience} {' '.join(rest)})"


def runtime(module: Module, slot_orders: int, slot_faces: int) -> str:
    memory, build = module.memory, module.build
    layout = memory.layout
    first = min(layout.bits.values(), default=layout.size)
    moved = ""
    if build.waiting:
        nowhere = "(i32.or (i32.lt_s (local.get $from) (i32.const 0)) (local.get $was_down))"
        seers = (
            f"(i32.or (if (result i32) {nowhere} (then (i32.const 0)) "
            "(else (call $seers (local.get $from)))) (if (result i32) (local.get $is_down) "
            "(then (i32.const 0)) (else (call $seers (local.get $to)))))"
        )
        moved = event(
            "moved",
            seers,
            "(local.get $card)",
            "(local.get $from)",
            "(local.get $to)",
            "(local.get $position)",
            "(local.get $bottom)",
            "(local.get $is_down)",
        )
    values = {
        "golden": GOLDEN,
        "seed": STATE + HEADER["seed"],
        "bot": STATE + HEADER["bot"],
        "chances": STATE + layout.chances,
        "supply": CONTROL["supply"],
        "error": CONTROL["error"],
        "error_value": CONTROL["error_value"],
        "slot_orders": slot_orders,
        "bits": STATE + first,
        "set_bytes": 8 * layout.words,
        "slots": layout.slot_count,
        "deck_bits": 64 * layout.words,
        "moved_event": moved,
        "deal_quickly": DEAL_QUICKLY if module.quick else "",
        "events_end": CONTROL["events"],
        "events_limit": memory.events_limit,
        "events_over": memory.events_limit + EVENT_SIZE,
        "event_size": EVENT_SIZE,
        "search_limit": SEARCH_LIMIT,
    }
    text = CHANCE.replace("{draw}", DRAW) + ZONES + GROUPS + WIDE + (EVENT if build.waiting else "")
    text = text.replace("{faces}", FACES if module.has_faces else "")
    values["faces_at"], values["slot_faces"] = STATE + layout.faces, slot_faces
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text
