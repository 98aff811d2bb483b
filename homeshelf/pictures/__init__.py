"""Pictures of things: an emoji that is guessed from a name, or that somebody chose.

picture_of("Hafermilch")  ->  "🥛"
picture_of("Xyz")         ->  "", and pages draw the first letter in colour
"""

from homeshelf.pictures.emoji import is_one_emoji
from homeshelf.pictures.guessing import picture_of, shown_picture
