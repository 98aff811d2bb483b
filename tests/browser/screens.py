"""The browser and the screens of the tests."""

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

_DISABLED_BY_PLAYWRIGHT = (
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
"""Features that Playwright disables. Chromium honors only the last such list."""
_UNUSED_PROCESSES = (
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
"""Features that would start unused processes."""

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
    f"--disable-features={','.join((*_DISABLED_BY_PLAYWRIGHT, *_UNUSED_PROCESSES))}",
)
"""Flags for a container without network access.

Chromium's sandbox needs rights that a container lacks. `home.test` is this machine under a host
name that is no secure context. The camera films a test picture and needs no permission.
"""
_FEWER_PROCESSES = "--in-process-gpu"
"""Saves a twelfth of the time per page. Measurements run without it, as users do."""

PATIENCE_MS = 25_000
"""The timeout of browser actions; a page takes seconds on a busy machine."""
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

    async def open_context(
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
        """Open a context with this screen."""
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
        """Resize and recolor the page without loading it again."""
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


def chromium_path(*, whole: bool) -> str:
    """Return the full Chromium, or the headless one, which takes half the time per page."""
    names = [os.environ.get("CHROMIUM", "chromium")]
    if not whole and "CHROMIUM" not in os.environ:
        names.insert(0, "chromium-headless-shell")
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, "There is no Chromium: `scripts/chromium` sees to it."
    return found


@asynccontextmanager
async def chromium(*, whole: bool = False, keeps_pages: bool = False) -> AsyncIterator[Browser]:
    """Start Chromium: `whole` is the full program, `keeps_pages` enables its back/forward cache."""
    whole = whole or keeps_pages
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path(whole=whole),
            args=[*FLAGS, *(() if whole else (_FEWER_PROCESSES,))],
            ignore_default_args=["--disable-back-forward-cache"] if keeps_pages else None,
        )
        try:
            yield browser
        finally:
            await browser.close()
