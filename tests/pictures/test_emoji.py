"""Single emoji, and the data of the package `emoji`."""

import subprocess
import sys

import emoji
import pytest

from homeshelf.pictures import is_one_emoji
from homeshelf.pictures.emoji import LANGUAGES, emoji_names

ONE = {
    "a thing": "🥛",
    "with its variation selector": "❤️",
    "without it": "❤",
    "a family": "👨‍👩‍👧‍👦",
    "a profession": "🧑‍🍳",
    "a colour of skin": "👍🏽",
    "both": "👩🏿‍🚒",
    "a flag": "🇸🇪",
    "a flag of a part": "🏴󠁧󠁢󠁷󠁬󠁳󠁿",
    "a keycap": "1️⃣",
    "a rainbow flag": "🏳️‍🌈",
}
NONE = {
    "nothing": "",
    "a letter": "A",
    "a digit": "1",
    "two": "🥛🥛",
    "two flags": "🇸🇪🇩🇪",
    "half a flag": "🇸",
    "with a space": " 🥛",
    "with a word": "🥛 milk",
    "a colour of skin alone": "🏽",
    "a joiner alone": "\u200d",
    "ends with a joiner": "🥛\u200d",
    "an emoticon": ":-)",
    "a name": ":glass_of_milk:",
    "half a pair": "\ud83e",
    "a text sign": "→",
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_single_emoji_is_accepted(text: str) -> None:
    assert is_one_emoji(text)


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_other_text_is_no_single_emoji(text: str) -> None:
    assert not is_one_emoji(text)


def test_emoji_match_the_package() -> None:
    whole = [text for text, about in emoji.EMOJI_DATA.items() if about["status"] != 1]
    assert len(whole) > 3000
    assert all(map(is_one_emoji, whole))


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_match_the_package(language: str) -> None:
    emoji.config.load_language(language)
    assert emoji.demojize("🍌", language=language).strip(":") in emoji_names(["🍌"], language)["🍌"]


def test_files_are_read_lazily_without_importing_the_package() -> None:
    program = (
        "import sys, homeshelf.app, homeshelf.pictures.word_index as index\n"
        "assert index.word_index.cache_info().currsize == 0\n"
        "from homeshelf.pictures import is_one_emoji, picture_of\n"
        "assert picture_of('Milk') and is_one_emoji(picture_of('Milk'))\n"
        "assert 'emoji' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
