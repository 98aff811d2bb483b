"""Pages as a browser without scripts sees them: a GET shows one, and a form is sent.

shown = await see(home.admin, "/list")
answer = await send(home.admin, "/list/add", text="2 milk")
"""

from html import unescape

import httpx

from tests.running import Visitor

OURS = {"Origin": "http://home.test", "Accept": "text/html"}
"""What a browser says of itself and of where a form was."""


async def see(who: Visitor, path: str, status: int = 200) -> str:
    """The text of a page, without what only a browser reads."""
    answer = await who.client.get(path, headers=OURS)
    assert answer.status_code == status, answer.text
    return unescape(answer.text)


async def send(who: Visitor, path: str, **fields: object) -> httpx.Response:
    """What becomes of a form; its fields by the names that the page gives them."""
    given = {name: str(value) for name, value in fields.items()}
    return await who.client.post(path, data=given, headers=OURS)
