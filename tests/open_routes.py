"""The routes that anybody may use, each with the reason."""

PUBLIC = {
    "/": "says what Homeshelf is; who is in a family sees their own",
    "/design": "shows the parts of pages, and no data",
    "/healthz": "says only that the program runs",
    "/readyz": "says only that the database answers",
    "/metrics": "is off, or for whom the settings say",
    "/manifest.webmanifest": "is the same for everybody",
    "/sw.js": "is the same for everybody",
    "/offline": "is the same for everybody",
    "/static/{tree}/{name:path}": "is the same for everybody",
    "/s": "is where anybody types the id of a shared list",
    "/sign-up": "is how people sign up",
    "/sign-in": "is how people sign in",
    "/forgotten": "is for who cannot sign in, and always says the same",
    "/reset/{token}": "is for whoever has the mailed link",
    "/verify/{token}": "is for whoever has the mailed link",
    "/join/{token}": "is for whoever has the invitation's link",
    "/sign-in-link/{token}": "is for whoever has the link of a child",
    "/unsubscribe/{token}": "is for whoever has the mailed link",
    "/api/v1/openapi.json": "describes the API",
    "/api/v1/accounts": "is how people sign up",
    "/api/v1/accounts/verify": "is for whoever has the mailed link",
    "/api/v1/passwords/forgotten": "is for who cannot sign in, and always says the same",
    "/api/v1/passwords/reset": "is for whoever has the mailed link",
    "/api/v1/tokens": "is how people sign in",
    "/api/v1/tokens/refresh": "is for whoever has the refresh token",
    "/api/v1/tokens/link": "is for whoever has the link of a child",
}
BY_ADDRESS = {
    "/t/{urlId}": "whoever has a tag's address may use it",
    "/api/v1/taps/": "whoever has a tag's address may use it",
    "/s/": "the passcodes of a shared list decide",
    "/api/v1/shareables": "the passcodes of a shared list decide",
}
"""What an address opens, by how paths begin."""
