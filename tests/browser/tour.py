"""Every page and the visitors who can open it."""

import re
from dataclasses import dataclass

from tests.browser.demo_household import DemoHousehold


@dataclass(frozen=True)
class Stop:
    name: str
    route: str
    """The route's path template."""
    who: str | None = None
    query: str = ""
    status: int = 200
    named: str = ""
    """The name of the record if the household has several."""

    def __str__(self) -> str:
        return self.name

    def path(self, household: DemoHousehold) -> str:
        """Fill the route with ids; the word before a token names it."""

        def replace_placeholder(found: re.Match[str]) -> str:
            before, name = found.groups()
            known = before if name == "token" else name
            return f"{before}/{household.ids[known + self.named]}"

        return re.sub(r"(\w+)/\{(\w+)\}", replace_placeholder, self.route) + self.query


TOUR = (
    Stop("welcome", "/"),
    Stop("sign-up", "/sign-up"),
    Stop("sign-in", "/sign-in"),
    Stop("forgotten", "/forgotten"),
    Stop("reset", "/reset/{token}"),
    Stop("verify", "/verify/{token}"),
    Stop("unsubscribe", "/unsubscribe/{token}"),
    Stop("join-stranger", "/join/{token}"),
    Stop("join", "/join/{token}", "Vera"),
    Stop("tap", "/t/{urlId}"),
    Stop("shares", "/s"),
    Stop("shares-none", "/s", query="?id=zzz-zzz-00000", status=404),
    Stop("new-share", "/s/new"),
    Stop("new-share-parent", "/s/new", "Mina"),
    Stop("share", "/s/{shortId}"),
    Stop("share-parent", "/s/{shortId}", "Mina"),
    Stop("share-said", "/s/{shortId}", query="?said=gone"),
    Stop("share-viewed", "/s/{shortId}", named=" to view"),
    Stop("share-unlock", "/s/{shortId}/unlock", named=" to view"),
    Stop("share-locked", "/s/{shortId}", status=401, named=" locked"),
    Stop("share-ended", "/s/{shortId}", status=410, named=" ended"),
    Stop("share-ended-maker", "/s/{shortId}", "Mina", named=" ended"),
    Stop("share-hand-on", "/s/{shortId}/share"),
    Stop("share-print", "/s/{shortId}/print"),
    Stop("share-order", "/s/{shortId}/order"),
    Stop("share-item", "/s/{shortId}/items/{checklistItemId}"),
    Stop("share-settings", "/s/{shortId}/settings"),
    Stop("share-copy", "/s/{shortId}/copy"),
    Stop("share-from-list", "/s/from-list", "Mina"),
    Stop("my-shares", "/s/mine", "Mina"),
    Stop("my-shares-none", "/s/mine", "Vera"),
    Stop("tags", "/stock/{itemId}/tags", "Mina"),
    Stop("tags-made", "/stock/{itemId}/tags", "Mina", query="?said=made"),
    Stop("all-tags", "/tags", "Mina"),
    Stop("labels", "/tags/print", "Mina"),
    Stop("new-family", "/families/new", "Vera"),
    Stop("no-families", "/families", "Vera"),
    Stop("home", "/", "Mina"),
    Stop("home-child", "/", "Alva"),
    Stop("home-new", "/", "Ines"),
    Stop("wall", "/wall", "Mina"),
    Stop("wall-child", "/wall", "Alva"),
    Stop("family", "/family", "Mina"),
    Stop("family-said", "/family", "Mina", query="?said=last-admin"),
    Stop("family-child", "/family", "Alva"),
    Stop("remove-member", "/family/members/{memberId}/remove", "Mina"),
    Stop("leave-family", "/family/members/{memberId}/remove", "Alva"),
    Stop("new-child", "/family/children/new", "Mina"),
    Stop("child", "/family/children/{memberId}", "Mina", named=" of a child"),
    Stop("child-no-link", "/family/children/{memberId}", "Mina", named=" of a child inside"),
    Stop("sign-in-link", "/sign-in-link/{token}"),
    Stop("sign-in-link-taken", "/sign-in-link/{token}", "Mina"),
    Stop("sign-in-link-over", "/sign-in-link/{token}", status=404, named=" over"),
    Stop("family-small-child", "/family", "Nils"),
    Stop("settings-small-child", "/settings", "Nils"),
    Stop("families", "/families", "Mina"),
    Stop("another-family", "/families/new", "Mina"),
    Stop("invite", "/family/invite", "Mina"),
    Stop("invitation", "/family/invitations/{invitationId}", "Mina"),
    Stop("stock", "/stock", "Mina"),
    Stop("stock-child", "/stock", "Alva"),
    Stop("stock-low", "/stock", "Mina", query="?show=low"),
    Stop("stock-nothing-found", "/stock", "Mina", query="?q=caviar"),
    Stop("stock-long-words", "/stock", "Greta"),
    Stop("new-item", "/stock/new", "Mina"),
    Stop("take-stock", "/stock/take", "Mina"),
    Stop("take-stock-long-words", "/stock/take", "Greta"),
    Stop("scan", "/stock/scan", "Mina"),
    Stop("scan-unknown", "/stock/scan", "Mina", query="?q=96385074"),
    Stop("item", "/stock/{itemId}", "Mina"),
    Stop("item-child", "/stock/{itemId}", "Alva"),
    Stop("edit-item", "/stock/{itemId}/edit", "Mina"),
    Stop("delete-item", "/stock/{itemId}/delete", "Mina"),
    Stop("list", "/list", "Mina"),
    Stop("list-child", "/list", "Alva"),
    Stop("list-long-words", "/list", "Greta"),
    Stop("trip", "/list/put-away-all", "Mina"),
    Stop("entry", "/list/{shoppingItemId}", "Mina"),
    Stop("decide", "/wishes", "Mina"),
    Stop("decide-said", "/wishes", "Mina", query="?said=yes"),
    Stop("ask", "/wishes", "Alva"),
    Stop("ask-nothing-found", "/wishes", "Alva", query="?q=caviar"),
    Stop("ask-for-item", "/wishes/items/{itemId}", "Alva"),
    Stop("ask-for-new", "/wishes/new", "Alva", query="?name=Popcorn"),
    Stop("notices", "/notices", "Mina"),
    Stop("notices-child", "/notices", "Alva"),
    Stop("places", "/places", "Mina"),
    Stop("places-child", "/places", "Alva"),
    Stop("delete-location", "/places/locations/{locationId}/delete", "Mina"),
    Stop("delete-store", "/places/stores/{storeId}/delete", "Mina"),
    Stop("books", "/books", "Mina"),
    Stop("books-child", "/books", "Alva"),
    Stop("books-read", "/books", "Mina", query="?show=READ&sort=title"),
    Stop("books-none", "/books", "Vera"),
    Stop("new-book", "/books/new", "Mina"),
    Stop("book", "/books/{bookId}", "Mina"),
    Stop("edit-book", "/books/{bookId}/edit", "Mina"),
    Stop("year", "/books/year", "Mina"),
    Stop("import-books", "/books/import", "Mina"),
    Stop("imported-books", "/books/imports/{importId}", "Mina"),
    Stop("settings", "/settings", "Mina"),
    Stop("keys", "/keys", "Mina"),
    Stop("settings-saved", "/settings", "Mina", query="?saved=name"),
    Stop("nothing-here", "/no/such/page", status=404),
    Stop("nothing-here-parent", "/no/such/page", "Mina", status=404),
    Stop("not-for-you", "/family/invite", "Alva", status=403),
    Stop("offline", "/offline"),
    Stop("design", "/design"),
)
