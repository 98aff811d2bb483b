"""Load templates, assets and the picture index before `tests.forked_processes` forks a process.

Loading takes a second, and nothing of it depends on the settings.
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
