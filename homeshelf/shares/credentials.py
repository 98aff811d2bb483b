"""The OpenAPI security schemes of a locked list."""

from typing import Any

CREDENTIALS: dict[str, dict[str, Any]] = {
    "listToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "Of a locked list, from `POST /shareables/{shortId}/unlock`.",
    },
    "listCookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "homeshelf-lists",
        "description": "Of a browser that unlocked it; `__Host-homeshelf-lists` over HTTPS.",
    },
}
UNLOCKED_OR_NOT: dict[str, Any] = {"security": [{}, *({name: []} for name in CREDENTIALS)]}
"""The `openapi_extra` of operations that anonymous callers may use too."""
