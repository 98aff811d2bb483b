from homeshelf.web.requests import api_router

router = api_router()
