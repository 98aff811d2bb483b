"""Scripts as browsers get them: the modules that a page needs as one file, two files for a page.

A phone that comes for the first time asks twice instead of eighty times. Each module stays a scope
of its own: it becomes a function that runs after those that it imports, and what it exports is kept
under a name that says where it stands:

    const queue$api = (() => {
    const { words } = $words;
    function add(change) { ... }
    return { add };
    })();

What every page has (`SHELL`) exports all of these. A file that comes on top of it, for the pages of
one folder or fetched later by `import("...")`, takes from there what is there, and brings the rest.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

SHELL = "js/app.js"
ALL_KINDS = "js/queue/all-kinds.js"
IN_BACKGROUND = "js/queue/background.js"
"""For the service worker."""
SHARED_FOLDERS = ("printing",)
"""Of `web`: what pages of several slices name as their `behaviour`."""


def with_slices(modules: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Have the shell import each slice's `shell.js`, and the queue each slice's `kinds.js`.

    `names` are the modules of slices.
    """
    found = sorted(names)
    added = {SHELL: "shell.js", ALL_KINDS: "kinds.js"}
    return {**modules} | {
        name: modules[name]
        + "".join(
            f'import "{_path(name, other)}";\n'
            for other in found
            if posixpath.basename(other) == file
        )
        for name, file in added.items()
    }


def joined(modules: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return the files, by the names that browsers ask for; `names` are the modules of slices.

    A folder `js/name/` of a slice becomes `js/name.js`, which comes on top of the shell. Where
    there is a module `js/name.js`, this is the script of a page that does without the shell.
    """
    own = {name for name in names if name.count("/") == 1}
    files = {name: _file(modules, name, [name]) for name in (SHELL, IN_BACKGROUND, *sorted(own))}
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    for folder in sorted({*SHARED_FOLDERS, *folders} - {_stem(name) for name in own}):
        starts = sorted(name for name in modules if posixpath.dirname(name) == f"js/{folder}")
        files[f"js/{folder}.js"] = _file(modules, f"js/{folder}.js", starts, on=SHELL)
    for name in _fetched_later(modules):
        page = f"js/{name.split('/')[1]}.js"
        files[name] = _file(modules, name, [name], on=page if page in own else SHELL)
    return files


def _stem(name: str) -> str:
    return posixpath.basename(name).removesuffix(".js")


def _file(modules: Mapping[str, str], name: str, starts: list[str], *, on: str = "") -> str:
    """One that is called as a module ends with it, as it is: others may need what it exports."""
    there = _in_order(modules, [on]) if on else []
    own = [each for each in _in_order(modules, starts) if each not in there]
    texts = [_scope(modules, each, name) for each in own if each != name]
    if taken := sorted({found for each in own for found in _imported(modules, each)} & {*there}):
        texts.insert(0, f'import {_listed(taken)} from "{_path(name, on)}";\n')
    if name in modules:
        texts.append(_with_scopes(modules, name, name))
    if not on:
        texts.append(f"export {_listed(own[:-1])};\n")
    return "".join(texts)


def _listed(names: Iterable[str]) -> str:
    return f"{{ {', '.join(map(_called, names))} }}"


def _scope(modules: Mapping[str, str], name: str, file: str) -> str:
    text = _with_scopes(modules, name, file)
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub(lambda found: found[0].removeprefix("export "), text)
    return f"const {_called(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _with_scopes(modules: Mapping[str, str], name: str, file: str) -> str:
    """A module where those that it imports stand above it."""

    def taken(found: re.Match[str]) -> str:
        names = found[1] and found[1].replace(" as ", ": ")
        return f"const {names} = {_called(_beside(name, found[2]))};\n" if names else ""

    def later(found: re.Match[str]) -> str:
        return f'import("{_path(file, _beside(name, found[1]))}")'

    return _LATER.sub(later, _IMPORT.sub(taken, modules[name]))


def _in_order(modules: Mapping[str, str], starts: Iterable[str]) -> list[str]:
    """These and all that they need, each after those that it needs itself."""
    found: dict[str, bool] = {}

    def visit(name: str) -> None:
        if name in found:
            if not found[name]:
                raise ValueError(f"{name} needs itself")
            return
        found[name] = False
        for other in _imported(modules, name):
            visit(other)
        del found[name]
        found[name] = True

    for start in starts:
        visit(start)
    return list(found)


def _imported(modules: Mapping[str, str], name: str) -> Iterator[str]:
    return (_beside(name, found[2]) for found in _IMPORT.finditer(modules[name]))


def _fetched_later(modules: Mapping[str, str]) -> list[str]:
    return sorted(
        {_beside(name, path) for name in modules for path in _LATER.findall(modules[name])}
    )


def _called(name: str) -> str:
    """`js/queue/change-list.js` is `queue$change_list`, and `js/api.js` is `$api`."""
    folder, _, file = name.removeprefix("js/").removesuffix(".js").rpartition("/")
    return f"{folder}${file}".replace("-", "_").replace("/", "$")


def _beside(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _path(file: str, other: str) -> str:
    path = posixpath.relpath(other, posixpath.dirname(file))
    return path if path.startswith(".") else f"./{path}"


_IMPORT = re.compile(r'^import (?:(\{[^}]*\}) from )?"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.MULTILINE)
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
