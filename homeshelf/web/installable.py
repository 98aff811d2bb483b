"""The web app manifest, the service worker and the offline page."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from homeshelf.errors import HomeshelfError, Unauthenticated
from homeshelf.languages import LANGUAGES, reader_language, set_reader_language
from homeshelf.sentences import _, translate
from homeshelf.web.assets import assets
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.pages import GROUNDS, page, template
from homeshelf.web.scripts import IN_BACKGROUND
from homeshelf.web.services import TheServices

router = APIRouter(include_in_schema=False)

SCREENSHOTS = {"narrow": (360, 740), "wide": (1024, 640)}
"""The size of each screenshot of the manifest, by the form of the screens that show it."""


@router.get("/manifest.webmanifest")
async def manifest(services: TheServices) -> Response:
    pictures = [
        {"src": assets().url(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    described: dict[str, Any] = {
        "name": "Homeshelf",
        "short_name": "Homeshelf",
        "description": translate(_("What’s at home, what’s running low and what to buy.")),
        "lang": reader_language().code,
        "dir": reader_language().direction,
        "id": "/",
        "start_url": "/",
        "display": "standalone",
        "background_color": GROUNDS["light"],
        "theme_color": "#3e7a46",
        "icons": [*pictures, *({**picture, "purpose": "maskable"} for picture in pictures)],
        "screenshots": [
            {
                "src": assets().url(f"screenshot-{form}.jpg"),
                "sizes": "x".join(map(str, size)),
                "type": "image/jpeg",
                "form_factor": form,
            }
            for form, size in SCREENSHOTS.items()
        ],
        "shortcuts": [
            {"name": translate(each.word), "url": each.path, "icons": pictures[:1]}
            for part in services.slices
            for each in part.shortcuts
        ],
    }
    if target := next(filter(None, (each.share_target for each in services.slices)), None):
        # Shared text changes nothing yet, so that no other page or app can add to the list.
        params = {"title": target.title, "text": target.text}
        described["share_target"] = {"action": target.path, "method": "GET", "params": params}
    return Response(json.dumps(described), media_type="application/manifest+json")


@router.get("/sw.js")
async def service_worker(
    services: TheServices, module: Annotated[bool, Query()] = False
) -> Response:
    """Return the service worker; only the module version, which some browsers lack, sends the
    queue."""
    text = service_worker_text(services.offline_rules, services.remedies, sends=module)
    return Response(text, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


def service_worker_text(
    rules: OfflineRules, remedies: Mapping[type[HomeshelfError], str], *, sends: bool
) -> str:
    files = [assets().url(name) for name in assets().files if not name.endswith((".png", ".jpg"))]
    sending = assets().url(IN_BACKGROUND) if sends else None
    return template("web/sw.js").render(
        hash=assets().hash,
        files=files,
        sending=sending,
        never=rules.secret_pattern,
        changes_person=rules.changes_person_pattern,
        arrivals=[f"/{path}" for path in rules.arrivals],
        kept_first=[(page.path, page.queries) for page in rules.kept_first],
        prefetched=rules.prefetched_paths,
        sign_in=remedies.get(Unauthenticated),
    )


@router.get("/offline")
async def offline(request: Request, language: Annotated[str, Query()] = "") -> Response:
    """Render the offline page in the language that the service worker asks for."""
    if language in LANGUAGES:
        set_reader_language(LANGUAGES[language])
    return page(request, "web/offline.html")
