"""Variants and parts: what stands in a flattened file, and what is said of one that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import rulebook
from rulebook.diagnostics import Problem, Problems, RuleFileError
from rulebook.document import Mapping, Node, Scalar, Sequence, read_document
from rulebook.engine.game import load
from rulebook.engine.record import Record
from rulebook.entries import WORDS, addresses, holds, read_address
from rulebook.flatten import MAX_CHAIN, flat_text
from rulebook.pipeline import check_text, load_document
from rulebook.render.problems import render
from rulebook.resources import folder, shipped_games, shipped_parts, shipped_variants
from rulebook.source import Source, read_source
from tests.chance import play_on, random_players

DRAFTS = sorted((Path(__file__).resolve().parent / "language" / "drafts").glob("*.yaml"))
SHIPPED = [*shipped_games().values(), *shipped_variants().values(), *DRAFTS]

BASE = """\
# A base.
rulebook: 1
game: Base
about: The highest card wins.
players: 2
options:
  rounds: {about: How many, choose: [1, 2], also: 1..9}
cards: {suits: [red, blue], ranks: [1, 2, 3, 4, 5, 6]}
tables: {worth: {of: suit, is: {red: 1, blue: 2}}}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}   # in the middle
state: {score: {each: player, is: 0..99}}
define:
  # The rank counts, and then the suit.
  power of card c: 10 * order_of of c + worth of c
  order_of of card c: 2 if rank of c >= 4 else 1
moves:
  lay:
    about: Lay a card
    pick: c from hand of mover
    must:
      First the low ones: rank of c < 4
      Then red: suit of c is red
    do: move c to pile
steps:
  match: |
    repeat rounds times:
      do deal_hands
      for p in players: p chooses lay
      score of player of highest power in pile += 1
    players finish by score
  deal_hands: |
    gather all cards to stock
    shuffle stock
    deal 4 from stock to each hand starting 0
examples:
  the rank counts more than the suit:
    given: {pile: [4 of red, 3 of blue]}
    expect: {power of 4 of red: 21}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("base", BASE)
    return tmp_path


def write(name: str, text: str) -> str:
    """Write a file of the working directory; a variant may leave out its first two lines."""
    if "rulebook:" not in text:
        text = f"rulebook: 1\ngame: {name.title()}\n{text}"
    path = Path(f"{name}.yaml")
    path.write_text(text, encoding="utf-8")
    return path.name


def variant(text: str, base: str = "base.yaml") -> dict[str, Any]:
    """What the flattened text of a variant of the base holds; it must be sound."""
    name = write("variant", f"extends: {base}\n{text}")
    assert rulebook.validate(name) == [], render(rulebook.validate(name))
    return content(flat_text(name))


def content(text: str) -> dict[str, Any]:
    plain = yaml.load(text, Loader=yaml.BaseLoader)
    assert isinstance(plain, dict)
    return plain


def problems(text: str, name: str = "variant") -> list[Problem]:
    return list(rulebook.validate(write(name, text)))


def plain(node: Node) -> Any:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(entry.value) for key, entry in node.entries.items()}


# ---- what a variant holds ----


def test_what_is_not_said_is_taken_over_but_name_and_examples(files: Path) -> None:
    found, base = variant("about: A second game.\n"), content(BASE)
    assert found.pop("game") == "Variant"
    assert found.pop("about") == "A second game."
    for key in ("game", "about", "examples"):
        base.pop(key)
    assert found == base
    assert "extends" not in found


def test_entries_are_replaced_where_they_stand_and_added_at_the_end(files: Path) -> None:
    found = variant(
        """
zones: {pile: {ordered: yes}, discards: {}}
define:
  order_of of card d: 1
  spare: 3
steps:
  deal_hands: |
    gather all cards to stock
    shuffle stock
    deal spare from stock to each hand starting 0
    deal 1 from stock to discards
"""
    )
    assert list(found["zones"]) == ["stock", "hand", "pile", "discards"]
    assert found["zones"]["pile"] == {"ordered": "yes"}
    # A definition goes by its name, whatever its parameter is called.
    assert list(found["define"]) == ["power of card c", "order_of of card d", "spare"]
    assert list(found["steps"]) == ["match", "deal_hands"]
    assert "spare" in found["steps"]["deal_hands"]


def test_of_an_option_what_is_given_changes_and_the_rest_stays(files: Path) -> None:
    found = variant("options: {rounds: {default: 2}}\n")
    about = {"about": "How many", "choose": ["1", "2"], "also": "1..9", "default": "2"}
    assert found["options"] == {"rounds": about}
    assert load("variant.yaml").options == {"rounds": "2"}


def test_a_move_with_must_alone_changes_lines_of_it(files: Path) -> None:
    found = variant(
        """
moves:
  lay:
    must:
      First the low ones: rank of c < 3
      At last a two: rank of c is 2
"""
    )
    lay = found["moves"]["lay"]
    assert list(lay) == ["about", "pick", "must", "do"]
    lines = {
        "First the low ones": "rank of c < 3",
        "Then red": "suit of c is red",
        "At last a two": "rank of c is 2",
    }
    assert lay["must"] == lines
    assert list(lay["must"]) == list(lines)


def test_a_move_with_more_is_a_whole_move(files: Path) -> None:
    found = variant(
        "moves:\n  lay:\n    pick: c from hand of mover\n"
        "    must: {Red: suit of c is red}\n    do: move c to pile\n"
    )
    assert list(found["moves"]["lay"]) == ["pick", "must", "do"]
    assert list(found["moves"]["lay"]["must"]) == ["Red"]


def test_what_is_removed_is_gone(files: Path) -> None:
    found = variant(
        """
remove: [must Then red of lay, definition power, table worth, about, option rounds]
steps:
  match: |
    do deal_hands
    for p in players: p chooses lay
    score of player of highest order_of in pile += 1
    players finish by score
"""
    )
    assert list(found["define"]) == ["order_of of card c"]
    assert list(found["moves"]["lay"]["must"]) == ["First the low ones"]
    assert not {"tables", "about", "options"} & set(found)


def test_removing_and_adding_puts_an_entry_last(files: Path) -> None:
    found = variant(
        "remove: [must First the low ones of lay]\n"
        "moves: {lay: {must: {First the low ones: rank of c < 3}}}\n"
    )
    assert list(found["moves"]["lay"]["must"]) == ["Then red", "First the low ones"]


def test_a_move_without_its_last_line_has_no_must(files: Path) -> None:
    found = variant("remove: [must First the low ones of lay, must Then red of lay]\n")
    assert "must" not in found["moves"]["lay"]


def test_cards_are_changed_in_part(files: Path) -> None:
    found = variant("cards: {ranks: [1, 2, 3, 4, 5, 6, 7, 8]}\n")
    assert found["cards"] == {"suits": ["red", "blue"], "ranks": list("12345678")}


def test_a_variant_of_a_variant(files: Path) -> None:
    write("middle", "extends: base.yaml\noptions: {rounds: {default: 2}}\nplayers: 2..3\n")
    found = variant("moves: {lay: {must: {A three: rank of c is 3}}}\n", "middle.yaml")
    assert found["players"] == "2..3"
    assert found["options"]["rounds"]["default"] == "2"
    assert list(found["moves"]["lay"]["must"])[-1] == "A three"


def test_comments_come_along(files: Path) -> None:
    write(
        "variant",
        "# Mine.\nrulebook: 1\ngame: Variant\nextends: base.yaml\ndefine:\n"
        "  # Simple.\n  order_of of card c: 1   # for all\n",
    )
    text = flat_text("variant.yaml")
    assert text.startswith("# Mine.\n# Put together from variant.yaml, base.yaml.\nrulebook: 1\n")
    assert "  # The rank counts, and then the suit.\n  power of card c:" in text
    assert "  # Simple.\n  order_of of card c: 1   # for all\n" in text
    assert "everyone}   # in the middle\n" in text
    assert "# A base." not in text


def test_braces_over_several_lines_are_copied_soundly(files: Path) -> None:
    name = write(
        "variant",
        "extends: base.yaml\n"
        "zones: {pile: {ordered: yes,\n  seen by: everyone},\n"
        "        discards: {each: player,\nordered: yes}, other: {}}\n"
        "steps: {deal_hands: do fetch, fetch: deal 3 from stock to each hand starting 0}\n"
        "moves: { lay: { must: { First the low ones: rank of c is 2 } } }\n",
    )
    found = content(flat_text(name))
    assert found["zones"]["discards"] == {"each": "player", "ordered": "yes"}
    assert found["steps"]["fetch"] == "deal 3 from stock to each hand starting 0"


# ---- the flattened text ----


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_flattened_text_is_the_same_game(path: Path) -> None:
    text = flat_text(str(path))
    found: Problems = Problems()
    document = load_document(Source("flat.yaml", text), found)
    source = read_source(str(path), found)
    assert source is not None
    whole = load_document(source, found)
    assert document is not None
    assert whole is not None
    assert not {"extends", "uses", "remove"} & set(document.entries)
    assert plain(document) == plain(whole)
    assert flat_order(document) == flat_order(whole)
    game, more = check_text(text, "flat.yaml")
    assert game is not None, render(more)


def flat_order(node: Node) -> list[str]:
    """Every key, in order."""
    if isinstance(node, Mapping):
        return [k for key, e in node.entries.items() for k in [key, *flat_order(e.value)]]
    return []


@pytest.mark.parametrize("name", shipped_games())
def test_a_file_on_its_own_stays_as_it_is(name: str) -> None:
    source = read_source(str(shipped_games()[name]), Problems())
    assert source is not None
    if "uses" not in content(source.text):
        assert flat_text(name) == source.text


def test_a_record_holds_the_flattened_file_and_replays(files: Path) -> None:
    write(
        "variant",
        """extends: base.yaml
players: 2
moves: {lay: {pick: c from hand of mover, do: "X"}}
steps:
  prize: |
    let who = random from players
    score of who += 1
  match: |
    do deal_hands
    do prize
    for p in players: p chooses lay
    do deal_hands
    do prize
    players finish by score
""".replace('do: "X"', "do: move c to pile"),
    )
    match = load("variant.yaml").start(seed=5)
    play_on(match, random_players(5))
    record = match.record()
    Path("base.yaml").unlink()
    assert "extends" not in content(record.rules)
    record.save("played.yaml")
    again = Record.load("played.yaml").replay()
    assert again.over
    assert again.scores == match.scores
    # Chance is numbered alike: the step with `random` stands before the base's in its own file.
    assert again.log(0) == match.log(0)


changes = st.lists(
    st.sampled_from(
        [
            "players: 2..4",
            "turns: anticlockwise",
            "options: {rounds: {default: 2}}",
            "cards: {copies: 2}",
            "tables: {worth: {of: suit, is: {red: 5, blue: 5}}}",
            "zones: {aside: {ordered: yes}, pile: {ordered: yes}}",
            "state: {last: player or none}",
            "define: {order_of of card c: 7, extra: 3}",
            "moves: {lay: {must: {Then red: suit of c is blue, Else: rank of c is 1}}}",
            "moves:\n  pass: {about: Nothing}",
            "steps: {deal_hands: shuffle stock}",
            "limits: {plays: 50}",
            "names:\n  red: {text: rouge}",
            "remove: [must Then red of lay]",
        ]
    ),
    unique_by=lambda change: change.partition(":")[0],
)


@settings(max_examples=60, deadline=None)
@given(changes)
def test_whatever_is_changed_the_text_holds_the_document(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("variant")
    (path / "base.yaml").write_text(BASE, encoding="utf-8")
    text = "\n".join(["rulebook: 1", "game: V", "extends: base.yaml", *lines, ""])
    (path / "v.yaml").write_text(text, encoding="utf-8")
    source, found = Source(str(path / "v.yaml"), text), Problems()
    whole = load_document(source, found)
    assert whole is not None
    assert not found.errors, render(found)
    flat = read_document(Source("flat.yaml", flat_text(source.path)), found)
    assert flat is not None
    assert plain(flat) == plain(whole)
    assert flat_order(flat) == flat_order(whole)


# ---- parts ----


def test_the_shipped_parts_hold_entries_with_names_and_their_needs() -> None:
    assert {"french_deck", "trick_taking", "pip_values"} <= set(shipped_parts())
    for name, path in shipped_parts().items():
        part = content(path.read_text(encoding="utf-8"))
        assert part["rulebook"] == "1"
        assert set(part) - set(WORDS) == {"rulebook", "about", "needs"}, name
        assert all(read_address(need) for need in part["needs"]), name
        users = [
            path for path in SHIPPED if name in content(path.read_text("utf-8")).get("uses", [])
        ]
        assert len(users) >= 2, name


def test_a_part_comes_in(files: Path) -> None:
    found = variant("remove: [cards, zone stock, zone hand]\nuses: [french_deck, trick_taking]\n"
                    "cards: {ranks: [1, 2, 3, 4, 5, 6]}\n"
                    "tables: {worth: {of: suit, is: {}, else: 1}}\n"
                    "names: {hearts: {text: Herz}}\n"
                    "moves: {lay: {must: {Then red: suit of c is hearts}}}\n")  # fmt: skip
    assert found["cards"] == {
        "suits": ["clubs", "diamonds", "hearts", "spades"],
        "ranks": list("123456"),
    }
    assert found["state"]["leader"] == "player"
    # What people see is the file's own to say.
    assert found["names"]["hearts"] == {"text": "Herz"}
    assert found["names"]["spades"]["symbol"] == "♠"


def test_a_part_that_the_base_uses_comes_in_once(files: Path) -> None:
    text = BASE.replace("players: 2\n", "players: 2\nuses: [french_deck]\n", 1)
    text = text.replace("suits: [red, blue], ", "").replace("{red: 1, blue: 2}", "{}, else: 1")
    write(
        "base",
        text.replace("is red", "is hearts")
        .replace("of red", "of hearts")
        .replace("of blue", "of clubs"),
    )
    assert variant("uses: [french_deck]\n") == variant("")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("uses: [french_dek]", "no-such-part"),
        ("uses: [parts/french_deck]", "bad-name"),
        ("uses: [french_deck]", "part-clash"),
        ("uses: [trick_taking]", "part-clash"),
        ("remove: [zone stock, zone hand, players]\nuses: [trick_taking]", "unmet-need"),
        ("uses: french_deck", "wrong-shape"),
    ],
)
def test_a_part_that_cannot_be_taken_in_is_one_problem(files: Path, text: str, slug: str) -> None:
    (found,) = problems(f"extends: base.yaml\n{text}\n")
    assert found.slug == slug


def test_a_clash_shows_both_places(files: Path) -> None:
    text = BASE.replace("game: Base", "game: Both\nuses: [trick_taking]")
    found = problems(text)
    assert [problem.slug for problem in found] == ["part-clash", "part-clash"]
    assert found[0].message == "`zone stock` is in the part `trick_taking` too"
    assert found[0].span is not None
    assert found[0].span.source.path == "variant.yaml"
    assert found[0].others[0].span.source.path.endswith("trick_taking.yaml")


# ---- what cannot be ----


def test_a_message_names_the_file_that_an_entry_stands_in(files: Path) -> None:
    write("base", BASE.replace("move c to pile", "move c to pille"))
    write("middle", "extends: base.yaml\ndefine: {other: hnad}\n")
    found = problems("extends: middle.yaml\nzones: {stock: {ordred: yes}}\n")
    places = [(p.slug, p.span.source.path, p.span.line) for p in found if p.span]
    assert ("unknown-key", "variant.yaml", 4) in places
    assert ("unknown-zone", "base.yaml", 26) in places
    assert ("unknown-name", "middle.yaml", 4) in places
    assert len(found) <= 4


def test_a_clash_of_two_files_is_shown_in_both(files: Path) -> None:
    (found,) = problems("extends: base.yaml\nstate: {pile: 0..3}\n")
    assert found.slug == "duplicate-name"
    shown = render([found])
    assert "--> variant.yaml:4:" in shown
    assert "::: base.yaml:13:" in shown


def test_a_rule_that_goes_wrong_is_told_where_it_stands(files: Path) -> None:
    write("base", BASE.replace("is: 0..99", "is: 0..1"))
    write("variant", "extends: base.yaml\noptions: {rounds: {default: 9}}\n")
    match = load("variant.yaml").start(seed=1)
    with pytest.raises(rulebook.RuleError) as error:
        play_on(match, random_players(1))
    span = error.value.problem.span
    assert span is not None
    assert (span.source.path, span.line) == ("base.yaml", 32)


@pytest.mark.parametrize(
    ("base", "slug"),
    [
        ("../base.yaml", "base-elsewhere"),
        ("sub/base.yaml", "base-elsewhere"),
        ("sub\\base.yaml", "base-elsewhere"),
        ("C:base.yaml", "base-elsewhere"),
        ("/etc/passwd", "base-elsewhere"),
        ("./base.yaml", "base-elsewhere"),
        ("link.yaml", "base-elsewhere"),
        ("basis.yaml", "no-such-base"),
        ("folder.yaml", "no-such-base"),
        ("base", "no-such-base"),
        ("..", "base-elsewhere"),
        (".", "base-elsewhere"),
        ("variant.yaml", "extends-cycle"),
        ("''", "missing-value"),
        ("[base.yaml]", "wrong-shape"),
    ],
)
def test_only_files_beside_and_shipped_games_are_extended(
    files: Path, base: str, slug: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "base.yaml"
    outside.write_text(BASE, encoding="utf-8")
    (files / "sub").mkdir()
    (files / "folder.yaml").mkdir()
    (files / "sub" / "base.yaml").write_text(BASE, encoding="utf-8")
    (files / "link.yaml").symlink_to(outside)
    (found,) = problems(f"extends: {base}\ndefine: {{x: unheard_of}}\n")
    assert found.slug == slug, found
    assert found.span is not None
    assert found.span.source.path == "variant.yaml"


def test_the_nearest_name_is_proposed(files: Path) -> None:
    for base, help in (
        ("bases.yaml", "write `base.yaml`"),
        ("base", "write `base.yaml` for the file beside this one"),
        ("coin", "write `coins`"),
    ):
        (found,) = problems(f"extends: {base}\n")
        assert found.help == help


def test_a_circle_is_told_once(files: Path) -> None:
    write("one", "extends: two.yaml\n")
    write("two", "extends: three.yaml\n")
    write("three", "extends: one.yaml\n")
    (found,) = rulebook.validate("one.yaml")
    assert found.slug == "extends-cycle"
    assert found.message == "`one.yaml` extends itself by way of `two.yaml` and `three.yaml`"
    # A file that leads into a circle is not part of it.
    (found,) = problems("extends: two.yaml\n")
    assert found.message == "`two.yaml` extends itself by way of `three.yaml` and `one.yaml`"
    with pytest.raises(RuleFileError):
        flat_text("one.yaml")


def test_a_chain_has_an_end(files: Path) -> None:
    for number in range(MAX_CHAIN + 2):
        base = f"part{number - 1}" if number else "base"
        write(f"part{number}", f"extends: {base}.yaml\n")
    assert rulebook.validate(f"part{MAX_CHAIN - 1}.yaml") == []
    (found,) = rulebook.validate(f"part{MAX_CHAIN + 1}.yaml")
    assert found.slug == "long-chain"


def test_a_misspelt_link_is_the_one_mistake(files: Path) -> None:
    (found,) = problems("extend: base.yaml\nplayers: 3\n")
    assert found.slug == "unknown-key"
    assert found.help == "write `extends`"


def test_warnings_speak_to_the_author_of_the_variant(files: Path) -> None:
    found = problems(
        "extends: base.yaml\nremove: [cards suits, tables]\nuses: [french_deck]\n"
        "define: {power of card c: order_of of c, own: 3}\n"
        "moves: {lay: {must: {Then red: suit of c is hearts}}}\n"
        "steps:\n  deal_hands: move cards to hand of 0\n"
    )
    # Nothing of what the part holds beside; what the base has left over is to be removed.
    assert [(p.slug, p.message, p.help) for p in found] == [
        ("unused", "`stock` is never used", "write `remove: [zone stock]`"),
        ("unused", "`own` is never used", "remove it"),
    ]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("zone stok", "write `zone stock`"),
        ("power", "write `definition power`"),
        (
            "must Later of lay",
            "there is `must First the low ones of lay`, `must Then red of lay`",
        ),
        ("option nothing_near", "there is `option rounds`"),
        ("game", "write its kind and its name, such as `move pass` or `must LABEL of MOVE`"),
        ("examples", "write its kind and its name, such as `move pass` or `must LABEL of MOVE`"),
    ],
)
def test_what_is_not_there_cannot_be_removed(files: Path, text: str, help: str) -> None:
    (found,) = problems(f"extends: base.yaml\nremove: [{text}]\n")
    assert found.slug == "nothing-to-remove"
    assert found.help == help


def test_faults_of_a_base_are_told_once_and_nothing_echoes(files: Path) -> None:
    write("base", BASE.replace("zones:\n", "zones: [\n"))
    slugs = {
        p.slug for p in problems("extends: base.yaml\nmoves: {lay: {must: {A: rank of c is 1}}}\n")
    }
    assert "unknown-zone" not in slugs
    assert "unknown-name" not in slugs
    assert slugs


def test_a_broken_variant_hides_no_entries_of_the_base(files: Path) -> None:
    found = problems("extends: base.yaml\nzones:\n  pile: {ordered: yes\ndefine: {x: hnad of 0}\n")
    assert {"unclosed-bracket"} == {p.slug for p in found}, render(found)


def test_addresses_are_read_as_they_are_written() -> None:
    document = read_document(Source("base.yaml", BASE), Problems())
    assert document is not None
    every = list(addresses(document))
    texts = [str(address) for address in every]
    assert "must Then red of lay" in texts
    assert "definition power" in texts
    assert "limit plays" not in texts
    for address in every:
        assert read_address(str(address)) == address
        assert holds(document, address)
    assert read_address("must no move") is None
    assert read_address("zones stock") is None
    assert read_address("anything") is None


def test_the_folder_of_games_is_where_resources_say() -> None:
    assert (folder("games") / "parts").is_dir()
    assert (folder("games") / "variants").is_dir()
