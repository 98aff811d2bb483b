"""Pictures of items: an emoji that a user chose, or that is guessed from the name.

picture_of("Hafermilch")  ->  "🥛"
picture_of("Xyz")         ->  "", and pages draw the first letter in colour
"""

from homeshelf.pictures.emoji import is_one_emoji
from homeshelf.pictures.matching import picture_of, shown_picture
