"""What a server makes once and keeps, made before it forks: `tests.forked_processes` loads this.

It is what the first to ask waits for, a second of work for one who looks around; nothing of it
depends on the settings.
"""

from homeshelf.pictures.emoji import leading_emoji
from homeshelf.pictures.word_index import word_index
from homeshelf.web.assets import assets
from homeshelf.web.pages import environment, template

for name in environment().list_templates():
    template(name)
assets()
word_index()
leading_emoji("")
