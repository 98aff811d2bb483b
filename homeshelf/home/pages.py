from fastapi import APIRouter, Request, Response

from homeshelf.errors import Unauthenticated
from homeshelf.families import store as families
from homeshelf.web.access import InFamily, in_family
from homeshelf.web.house import TheHouse
from homeshelf.web.pages import page
from homeshelf.web.shell import shell_of

router = APIRouter()


@router.get("/")
async def home(request: Request, house: TheHouse) -> Response:
    """What it is for whoever comes by; what matters now for whoever lives here."""
    try:
        member: InFamily = await in_family(request)
    except Unauthenticated:
        return page(request, "home/welcome.html", signup=house.settings.signup)
    people = await house.db.all(families.members_of(member.family_id).up_to_date())
    active = [each for each in people if each.status == "active"]
    return page(
        request, "home/home.html", shell=await shell_of(house, member), member=member, people=active
    )
