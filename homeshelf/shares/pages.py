"""The pages of shared lists, all under `/s`, those with words of their own in the path first."""

from fastapi import APIRouter

from homeshelf.shares import (
    front_door_pages,
    item_pages,
    list_pages,
    making_pages,
    my_lists_pages,
    order_pages,
    settings_pages,
    sharing_pages,
    who_pages,
)

router = APIRouter(include_in_schema=False)
for each in (
    front_door_pages,
    making_pages,
    my_lists_pages,
    list_pages,
    item_pages,
    order_pages,
    settings_pages,
    sharing_pages,
    who_pages,
):
    router.routes.extend(each.router.routes)
