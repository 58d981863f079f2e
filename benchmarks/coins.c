/* Coins by hand, as a C programmer would write it: hands and the trick are arrays, hands are kept
 * sorted. It is the yardstick for speed and an independent oracle for the rule file.
 *
 * A card is rank * 4 + suit; suits are cups 0, coins 1, swords 2, clubs 3; ranks run from the two
 * (0) to the ace (11). Chance follows docs/language.md to the letter, so that a seed gives the same
 * game here and from the rule file.
 *
 * Callers keep target >= 1 and 0 <= oldest < 3; nothing is checked here.
 */

#include <stddef.h>
#include <stdint.h>

enum { PLAYERS = 3, SUITS = 4, CARDS = 48, HAND = CARDS / PLAYERS, COINS = 1 };

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define SHUFFLE_SITE UINT64_C(0)
#define PLAYERS_SITE UINT64_C(0xFFFFFFFF)

/* Where a game is written down; the plays beyond `capacity` are counted but not kept. */
struct trace {
    uint8_t *cards;
    uint8_t *seats;
    int capacity;
};

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t stream(uint64_t seed, uint64_t site, uint64_t count)
{
    return mix(mix(seed + GOLDEN * (site + 1)) + GOLDEN * (count + 1));
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

/* Deals the whole pack, sixteen cards at a time from the end of the stock. */
static void deal(uint64_t seed, uint64_t hand_number, int first, uint8_t hands[PLAYERS][HAND])
{
    uint64_t state = stream(seed, SHUFFLE_SITE, hand_number);
    uint8_t stock[CARDS];
    uint8_t owner[CARDS];
    int sizes[PLAYERS] = {0};

    for (int i = 0; i < CARDS; i++)
        stock[i] = (uint8_t)i;
    for (int i = CARDS - 1; i > 0; i--) {
        uint32_t j = below(&state, (uint32_t)i + 1);
        uint8_t card = stock[i];
        stock[i] = stock[j];
        stock[j] = card;
    }
    int top = CARDS;
    int seat = first;
    for (int turn = 0; turn < PLAYERS; turn++) {
        for (int i = 0; i < HAND; i++)
            owner[stock[--top]] = (uint8_t)seat;
        seat = seat == PLAYERS - 1 ? 0 : seat + 1;
    }
    /* Going through the pack in order leaves every hand sorted. */
    for (int card = 0; card < CARDS; card++) {
        int holder = owner[card];
        hands[holder][sizes[holder]++] = (uint8_t)card;
    }
}

/* The place in the trick, 0..2, of the card that wins it. */
static int winning_place(const uint8_t trick[PLAYERS])
{
    static const int prey[SUITS] = {1, 2, 3, 0};
    int counts[SUITS] = {0};
    int winning_suit = -1;

    for (int i = 0; i < PLAYERS; i++)
        counts[trick[i] % SUITS]++;
    for (int suit = 0; suit < SUITS; suit++)
        if (counts[suit] >= 2)
            winning_suit = suit;
    if (winning_suit < 0) {
        /* One suit is missing: the suit that it would have beaten is the one left unbeaten. */
        for (int suit = 0; suit < SUITS; suit++)
            if (counts[suit] == 0)
                winning_suit = prey[suit];
    }
    int best = -1;
    for (int i = 0; i < PLAYERS; i++)
        if (trick[i] % SUITS == winning_suit && (best < 0 || trick[i] > trick[best]))
            best = i;
    return best;
}

/* Plays one whole game at random and returns its number of plays; `trace` may be NULL. */
static inline int play_game(uint64_t seed, int target, int oldest, int *winner,
                            int scores[PLAYERS], const struct trace *trace)
{
    uint64_t state = stream(seed, PLAYERS_SITE, 0);
    uint8_t hands[PLAYERS][HAND];
    int leader = oldest == PLAYERS - 1 ? 0 : oldest + 1;
    int plays = 0;

    for (int seat = 0; seat < PLAYERS; seat++)
        scores[seat] = 0;
    for (uint64_t hand_number = 0;; hand_number++) {
        /* The dealer sits right of the leader, so the leader is dealt to first. */
        deal(seed, hand_number, leader, hands);
        for (int size = HAND; size > 0; size--) {
            uint8_t trick[PLAYERS];
            uint8_t seats[PLAYERS];
            int coins = 0;
            int seat = leader;

            for (int place = 0; place < PLAYERS; place++) {
                uint8_t *hand = hands[seat];
                int chosen = (int)below(&state, (uint32_t)size);
                trick[place] = hand[chosen];
                seats[place] = (uint8_t)seat;
                for (int i = chosen; i < size - 1; i++)
                    hand[i] = hand[i + 1];
                if (trick[place] % SUITS == COINS)
                    coins++;
                if (trace != NULL && plays < trace->capacity) {
                    trace->cards[plays] = trick[place];
                    trace->seats[plays] = (uint8_t)seat;
                }
                plays++;
                seat = seat == PLAYERS - 1 ? 0 : seat + 1;
            }
            leader = seats[winning_place(trick)];
            scores[leader] += coins;
            if (scores[leader] >= target) {
                *winner = leader;
                return plays;
            }
        }
        /* The player right of the leader deals, so the leader leads again. */
    }
}

/* Plays games first .. first+games-1 of the batch with this seed. The arrays hold one winner, three
 * scores and one number of plays a game; each may be NULL. Returns the plays of all games. */
int64_t coins_games(uint64_t seed, int64_t first, int64_t games, int target, int oldest,
                    uint8_t *winner, int32_t *scores, int32_t *plays)
{
    int64_t total = 0;

    for (int64_t i = 0; i < games; i++) {
        uint64_t game_seed = mix(seed + GOLDEN * ((uint64_t)(first + i) + 1));
        int game_winner;
        int game_scores[PLAYERS];
        int game_plays = play_game(game_seed, target, oldest, &game_winner, game_scores, NULL);

        if (winner != NULL)
            winner[i] = (uint8_t)game_winner;
        if (scores != NULL)
            for (int seat = 0; seat < PLAYERS; seat++)
                scores[i * PLAYERS + seat] = game_scores[seat];
        if (plays != NULL)
            plays[i] = game_plays;
        total += game_plays;
    }
    return total;
}

/* Plays the one game whose own seed this is and writes down card and seat of its first `cap` plays.
 * Returns the number of all its plays, which may be more than `cap`. */
int coins_trace(uint64_t seed, int target, int oldest, uint8_t *cards, uint8_t *seats, int cap)
{
    const struct trace trace = {cards, seats, cap};
    int winner;
    int scores[PLAYERS];

    return play_game(seed, target, oldest, &winner, scores, &trace);
}
