"""Texts that nobody would type and anybody can send: what each parser of ours is given."""

from random import Random

SPACES = "\t\x0b\x0c \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2003\u200a\u202f\u205f\u3000\ufeff\u200b"
BREAKS = "\r\n\u2028\u2029,;:.\u060c\u061b\u3001\uff0c\uff1a"
SIGNS = "-\u2013—*•·‣◦▪☐☑✓✔[]()/%+=#x\u00d7X'\u2019\"<>&{}|\\_^~@$"
DIGITS = (
    "0123456789\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
    "\u0966\u0967²³½¼¾⅓⅔Ⅷ①\U0001d7d9"
)
LETTERS = (
    "abgklmnsxzABGKLMSXZÅåÄäÖöÜüßẞçéñœæøł\u0131İ\u017fΩ\u03a3\u03c3\u03c2Ияאבة"
    "\u0647ىيمنعلبة한中\u0301\u0327\u0308\u0653\u0670"
)
MARKS = (
    "\0\x01\x1b\x7f\u00ad\u200c\u200d\u200e\u200f\u061c\u202a\u202e\u2066\u2069\ufe0f\ufffd\uffff"
)
FAR = "🥛👨‍👩‍👧🇸🇪𐍈\U0010ffff"
KINDS = (SPACES, BREAKS, SIGNS, DIGITS, DIGITS, LETTERS, LETTERS, LETTERS, MARKS, FAR)


def odd_texts(random: Random, number: int, words: list[str], longest: int = 12) -> list[str]:
    """Of single characters of all kinds, and of words that mean something."""

    def piece() -> str:
        if random.random() < 0.3:
            return random.choice(["", " "]) + random.choice(words) + random.choice(["", " "])
        return random.choice(random.choice(KINDS))

    return ["".join(piece() for _ in range(random.randint(1, longest))) for _ in range(number)]
