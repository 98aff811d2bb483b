"""The browser, and the screens that people look at Homeshelf with."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    async_playwright,
    expect,
)

Theme = Literal["light", "dark"]

_OFF_WITH_PLAYWRIGHT = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""What Playwright switches off too: of two such lists Chromium heeds the last one."""
_PROCESSES_FOR_NOBODY = (
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
"""A spare one, and one for what drops down from the address bar: each browser would start them."""

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP home.test 127.0.0.1",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    f"--disable-features={','.join((*_OFF_WITH_PLAYWRIGHT, *_PROCESSES_FOR_NOBODY))}",
)
"""Chromium's sandbox needs rights that a container does not give; the rest keeps it off the net.

`home.test` is this machine as others in a home network see it: not trusted without HTTPS. The
camera is one that films a test picture, and everybody lets a page use it.
"""
_FEWER_PROCESSES = "--in-process-gpu"
"""What paints is no process of its own: a page costs a twelfth less. What people wait for is
measured in a browser that does as theirs do."""

PATIENCE_MS = 25_000
"""So long at most a browser is waited for; a busy machine takes seconds for a page."""
expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class Screen:
    size: Literal["phone", "tablet", "desktop"]
    theme: Theme

    def __str__(self) -> str:
        return f"{self.size}-{self.theme}"

    @property
    def viewport(self) -> ViewportSize:
        return _VIEWPORTS[self.size]

    async def opened(
        self,
        browser: Browser,
        url: str,
        *,
        script: bool = True,
        offline_worker: bool = False,
        motion: bool = False,
        pixels: float = 1,
        locale: str = "en-GB",
    ) -> BrowserContext:
        """A browser of somebody's own on this screen: nobody is signed in yet."""
        context = await browser.new_context(
            base_url=url,
            viewport=self.viewport,
            color_scheme=self.theme,
            has_touch=self.size != "desktop",
            java_script_enabled=script,
            reduced_motion="no-preference" if motion else "reduce",
            service_workers="allow" if offline_worker else "block",
            device_scale_factor=pixels,
            locale=locale,
        )
        context.set_default_timeout(PATIENCE_MS)
        return context

    async def show(self, page: Page) -> None:
        """The page as it looks on this screen, without loading it again."""
        await page.set_viewport_size(self.viewport)
        await page.emulate_media(color_scheme=self.theme)


_VIEWPORTS: dict[str, ViewportSize] = {
    "phone": {"width": 360, "height": 740},
    "tablet": {"width": 768, "height": 1024},
    "desktop": {"width": 1280, "height": 800},
}

PHONE, DARK_PHONE = Screen("phone", "light"), Screen("phone", "dark")
DESKTOP, DARK_DESKTOP = Screen("desktop", "light"), Screen("desktop", "dark")
TABLET = Screen("tablet", "light")
SCREENS = (PHONE, DARK_PHONE, DESKTOP, DARK_DESKTOP)


def program(*, whole: bool) -> str:
    """The whole Chromium, or where it is there the same one without windows, which takes half the
    time for a page."""
    names = [os.environ.get("CHROMIUM", "chromium")]
    if not whole and "CHROMIUM" not in os.environ:
        names.insert(0, "chromium-headless-shell")
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, "There is no Chromium: `scripts/chromium` sees to it."
    return found


@asynccontextmanager
async def chromium(*, whole: bool = False, keeps_pages: bool = False) -> AsyncIterator[Browser]:
    """Whether it is the one that people have, and keeps the page that one leaves, alive, for the
    way back."""
    whole = whole or keeps_pages
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program(whole=whole),
            args=[*FLAGS, *(() if whole else (_FEWER_PROCESSES,))],
            ignore_default_args=["--disable-back-forward-cache"] if keeps_pages else None,
        )
        try:
            yield browser
        finally:
            await browser.close()
