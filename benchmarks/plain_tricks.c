/* The rollouts of Plain Tricks by hand, with a set of cards as the bits of a word: what is left to
 * gain for the code made from the rule file, and an independent oracle for it.
 *
 * A card is rank * 4 + suit; suits are clubs 0, diamonds 1, hearts 2, spades 3. Chance follows
 * docs/language.md, so that a seed gives the same rollouts here and in the module.
 */

#include <stdint.h>

enum { PLAYERS = 4, SPADES = 3 };

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define PLAYERS_SITE UINT64_C(0xFFFFFFFF)
#define SUIT UINT64_C(0x1111111111111)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t next(uint64_t *state)
{
    *state += GOLDEN;
    return (uint32_t)(mix(*state) >> 32);
}

/* A fair number in 0..n-1; one choice draws nothing. */
static uint32_t below(uint64_t *state, uint32_t n)
{
    if (n == 1)
        return 0;
    uint64_t m = (uint64_t)next(state) * n;
    if ((uint32_t)m < n) {
        uint32_t unfair = (uint32_t)-n % n;
        while ((uint32_t)m < unfair)
            m = (uint64_t)next(state) * n;
    }
    return (uint32_t)(m >> 32);
}

static int drawn(uint64_t cards, uint64_t *state)
{
    for (uint32_t n = below(state, (uint32_t)__builtin_popcountll(cards)); n > 0; n--)
        cards &= cards - 1;
    return __builtin_ctzll(cards);
}

/* One deal played on after the first card was led; the tricks of seats 0 and 2. */
static int rollout(const uint64_t dealt[PLAYERS], int leader, int led, uint64_t seed)
{
    uint64_t state = mix(mix(seed + GOLDEN * (PLAYERS_SITE + 1)) + GOLDEN);
    uint64_t hands[PLAYERS];
    int taken[PLAYERS] = {0};

    for (int seat = 0; seat < PLAYERS; seat++)
        hands[seat] = dealt[seat];
    while (hands[leader] != 0) {
        if (led < 0) {
            uint64_t plain = hands[leader] & ~(SUIT << SPADES);
            led = drawn(plain != 0 ? plain : hands[leader], &state);
        }
        uint64_t suit = SUIT << led % 4;
        uint64_t trick = UINT64_C(1) << led;
        uint64_t played[PLAYERS];
        played[leader] = trick;
        for (int place = 1; place < PLAYERS; place++) {
            int seat = (leader + place) % PLAYERS;
            uint64_t follow = hands[seat] & suit;
            played[seat] = UINT64_C(1) << drawn(follow != 0 ? follow : hands[seat], &state);
            trick |= played[seat];
        }
        uint64_t best = trick & SUIT << SPADES;
        if (best == 0)
            best = trick & suit;
        uint64_t winner = UINT64_C(1) << (63 - __builtin_clzll(best));
        for (int seat = 0; seat < PLAYERS; seat++) {
            hands[seat] ^= played[seat];
            if (played[seat] == winner)
                leader = seat;
        }
        taken[leader]++;
        led = -1;
    }
    return taken[0] + taken[2];
}

/* Rollouts first .. first+count-1 of the batch with this seed. `tricks` holds one number a rollout,
 * and may be NULL. Returns the sum of those numbers. */
int64_t plain_tricks_rollouts(const uint64_t hands[PLAYERS], int leader, int led, uint64_t seed,
                              int64_t first, int64_t count, int32_t *tricks)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < count; i++) {
        int found = rollout(hands, leader, led, mix(seed + GOLDEN * ((uint64_t)(first + i) + 1)));

        sum += found;
        if (tricks)
            tricks[i] = found;
    }
    return sum;
}
