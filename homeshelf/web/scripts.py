"""A bundler that joins ES modules, so that a page loads two scripts instead of eighty.

Each module becomes a function that runs after its imports and returns its exports:

    const queue$api = (() => {
    const { words } = $words;
    function add(change) { ... }
    return { add };
    })();

The shell (`SHELL`), which every page loads, exports all its modules. Other files, for the pages of
one folder or for `import("...")`, import those from it and contain the rest.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

SHELL = "js/app.js"
ALL_KINDS = "js/queue/all-kinds.js"
IN_BACKGROUND = "js/queue/background.js"
"""The script for the service worker."""
API_REFERENCE = "js/api-reference.js"
SHARED_FOLDERS = ("offline", "printing")
"""Folders of `web` that pages name as their `behaviour`."""


def add_slice_imports(modules: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Add imports of each slice's `shell.js` to the shell, and of each `kinds.js` to the queue.

    `names` are the modules of slices.
    """
    found = sorted(names)
    added = {SHELL: "shell.js", ALL_KINDS: "kinds.js"}
    return {**modules} | {
        name: modules[name]
        + "".join(
            f'import "{_relative_path(name, other)}";\n'
            for other in found
            if posixpath.basename(other) == file
        )
        for name, file in added.items()
    }


def bundle_modules(modules: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return the bundles by the names that browsers request; `names` are the modules of slices.

    A folder `js/name/` of a slice becomes `js/name.js`, which imports from the shell. A module
    `js/name.js` becomes the script of a page without the shell.
    """
    own = {name for name in names if name.count("/") == 1} | ({API_REFERENCE} & modules.keys())
    files = {name: _bundle(modules, name, [name]) for name in (SHELL, IN_BACKGROUND, *sorted(own))}
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    for folder in sorted({*SHARED_FOLDERS, *folders} - {PurePosixPath(name).stem for name in own}):
        starts = sorted(name for name in modules if posixpath.dirname(name) == f"js/{folder}")
        files[f"js/{folder}.js"] = _bundle(modules, f"js/{folder}.js", starts, on=SHELL)
    later = {_resolve(name, path) for name in modules for path in _LATER.findall(modules[name])}
    for name in sorted(later):
        page = f"js/{name.split('/')[1]}.js"
        files[name] = _bundle(modules, name, [name], on=page if page in own else SHELL)
    return files


def _bundle(modules: Mapping[str, str], name: str, starts: list[str], *, on: str = "") -> str:
    """Return one bundle; a module with the bundle's name ends it unwrapped, to keep its exports."""
    there = _sort_imports(modules, [on]) if on else []
    own = [each for each in _sort_imports(modules, starts) if each not in there]
    texts = [_wrap_module(modules, each, name) for each in own if each != name]
    if taken := sorted({found for each in own for found in _imports_of(modules, each)} & {*there}):
        texts.insert(0, f'import {_export_list(taken)} from "{_relative_path(name, on)}";\n')
    if name in modules:
        texts.append(_rewrite_imports(modules, name, name))
    if not on:
        texts.append(f"export {_export_list(own[:-1])};\n")
    return "".join(texts)


def _export_list(names: Iterable[str]) -> str:
    return f"{{ {', '.join(map(_variable_of, names))} }}"


def _wrap_module(modules: Mapping[str, str], name: str, file: str) -> str:
    text = _rewrite_imports(modules, name, file)
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub(lambda found: found[0].removeprefix("export "), text)
    return f"const {_variable_of(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _rewrite_imports(modules: Mapping[str, str], name: str, file: str) -> str:
    """Return a module whose imports read from the functions of the bundle."""

    def taken(found: re.Match[str]) -> str:
        names = found[1] and found[1].replace(" as ", ": ")
        return f"const {names} = {_variable_of(_resolve(name, found[2]))};\n" if names else ""

    def later(found: re.Match[str]) -> str:
        return f'import("{_relative_path(file, _resolve(name, found[1]))}")'

    return _LATER.sub(later, _IMPORT.sub(taken, modules[name]))


def _sort_imports(modules: Mapping[str, str], starts: Iterable[str]) -> list[str]:
    """Return modules and all their imports, each after its own imports."""
    found: dict[str, bool] = {}

    def visit(name: str) -> None:
        if name in found:
            if not found[name]:
                raise ValueError(f"{name} needs itself")
            return
        found[name] = False
        for other in _imports_of(modules, name):
            visit(other)
        del found[name]
        found[name] = True

    for start in starts:
        visit(start)
    return list(found)


def _imports_of(modules: Mapping[str, str], name: str) -> Iterator[str]:
    return (_resolve(name, found[2]) for found in _IMPORT.finditer(modules[name]))


def _variable_of(name: str) -> str:
    """Return the variable of a module: `queue$change_list` for `js/queue/change-list.js`."""
    folder, _, file = name.removeprefix("js/").removesuffix(".js").rpartition("/")
    return f"{folder}${file}".replace("-", "_").replace("/", "$")


def _resolve(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _relative_path(file: str, other: str) -> str:
    path = posixpath.relpath(other, posixpath.dirname(file))
    return path if path.startswith(".") else f"./{path}"


_IMPORT = re.compile(r'^import (?:(\{[^}]*\}) from )?"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.MULTILINE)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
