"""The bundler keeps each module's scope, and resolves its imports."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import homeshelf
from homeshelf.web.assets import assets, modules, slice_modules
from homeshelf.web.scripts import (
    ALL_KINDS,
    IN_BACKGROUND,
    SHARED_FOLDERS,
    SHELL,
    add_slice_imports,
    bundle_modules,
)

PACKAGE = Path(homeshelf.__file__).parent
TAG = "js/tap.js"
NOTHING = dict.fromkeys((SHELL, ALL_KINDS, IN_BACKGROUND), "")
SENT = {name: file.plain.decode() for name, file in assets().files.items() if name.endswith(".js")}
NEEDED = re.compile(r'\b(?:from |import\()"([^"]+)"')


def run(folder: Path, start: str, *slices: str, **modules: str) -> str:
    """Return the output of a bundle that starts with this module; `a__b` is `js/a/b.js`."""
    node = shutil.which("node")
    assert node, "the tests need Node.js"
    named = {f"js/{name.replace('__', '/')}.js": text for name, text in modules.items()}
    own = [name for name in named if name.split("/")[1].removesuffix(".js") in slices]
    for name, text in bundle_modules(add_slice_imports(NOTHING | named, own), own).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([node, start], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def test_module_has_its_own_scope_and_runs_once_before_its_importers(
    tmp_path: Path,
) -> None:
    said = run(
        tmp_path,
        "js/app.js",
        app='import "./two.js";\nimport "./one.js";\n',
        one='import { own } from "./zero.js";\nconst name = 1;\nconsole.log(name, own());\n',
        two='import { own as of } from "./zero.js";\nconst name = 2;\nconsole.log(name, of());\n',
        zero='console.log("zero");\nconst name = 0;\nexport function own() {\nreturn name;\n}\n',
    )
    assert said.split("\n") == ["zero", "2 0", "1 0", ""]


@pytest.mark.parametrize(
    "exported",
    [
        "export function given() {\nreturn 7;\n}\n",
        "export async function given() {\nreturn 7;\n}\n",
        "export const given = () => 7;\n",
        "export class given {}\n",
    ],
)
def test_imports_find_exports(tmp_path: Path, exported: str) -> None:
    asks = 'import { given } from "./given.js";\nexport const kind = typeof given;\n'
    says = 'import { kind } from "./asks.js";\nconsole.log(kind);\n'
    assert run(tmp_path, "js/app.js", app=says, asks=asks, given=exported) == "function\n"


def test_page_bundle_imports_from_the_shell_and_contains_the_rest(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        "js/stock.js",
        "stock",
        app='import { count } from "./counting.js";\ncount();\n',
        counting="let counted = 0;\nexport function count() {\nreturn ++counted;\n}\n",
        stock__page='import { count } from "../counting.js";\n'
        'import { twice } from "../order/far.js";\nconsole.log(twice(count()));\n',
        order__far="export const twice = (number) => number * 2;\n",
    )
    assert said == "4\n"


def test_dynamic_import_shares_modules_with_the_shell(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        "js/app.js",
        app='import "./queue/asking.js";\n',
        counting="let counted = 0;\nexport function count() {\nreturn ++counted;\n}\n",
        queue__asking='import { count } from "../counting.js";\ncount();\n'
        'import("../wide/late.js").then(({ late }) => console.log(late));\n',
        wide__late='import { count } from "../counting.js";\nexport const late = await count();\n',
    )
    assert said == "2\n"


def test_shell_and_queue_import_the_modules_of_slices(tmp_path: Path) -> None:
    started = {"app": 'console.log("app");\n', "queue__background": 'import "./all-kinds.js";\n'}
    slices = {"stock__shell": 'console.log("shell");\n', "tap__kinds": 'console.log("kinds");\n'}
    for start, said in (("js/app.js", "shell\napp\n"), (IN_BACKGROUND, "kinds\n")):
        assert run(tmp_path, start, "stock", "tap", **started, **slices) == said


def test_page_with_its_own_module_does_not_load_the_shell(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        "js/tap.js",
        "tap",
        app='console.log("shell");\n',
        tap='import { own } from "./tap/own.js";\n'
        'import("./tap/late.js").then(({ late }) => console.log(own, late));\n',
        tap__own="export const own = 1;\n",
        tap__late='import { own } from "./own.js";\nexport const late = own + 1;\n',
    )
    assert said == "1 2\n"


def test_circular_imports_are_refused() -> None:
    each_other = {"js/a.js": 'import "./b.js";\n', "js/b.js": 'import "./a.js";\n'}
    with pytest.raises(ValueError, match=r"js/a\.js needs itself"):
        bundle_modules(NOTHING | each_other | {SHELL: 'import "./a.js";\n'}, [])


def test_bundled_folders_are_those_that_pages_name() -> None:
    templates = "".join(path.read_text() for path in PACKAGE.rglob("templates/**/*.html"))
    folders = {name.split("/")[1] for name in slice_modules() if name.count("/") > 1}
    of_a_page = {folder for folder in folders if f"js/{folder}.js" in modules()}
    named = {*re.findall(r'{% set behaviour = "(\w+)" %}', templates)}
    named |= folders & {*re.findall(r"asset\('js/(\w+)\.js'\)", templates)}
    assert (folders - of_a_page) | {*SHARED_FOLDERS} == named - of_a_page


def test_every_import_of_a_bundle_exists() -> None:
    for name, text in SENT.items():
        for path in NEEDED.findall(text):
            assert str((Path("/") / name).parent.joinpath(path).resolve())[1:] in SENT, name


def test_every_module_is_in_a_bundle() -> None:
    for name in modules():
        within, _, own = name[3:-3].replace("-", "_").rpartition("/")
        scope = f"const {within.replace('/', '$')}${own} = "
        assert name in SENT or any(scope in text for text in SENT.values()), name


@pytest.mark.parametrize("start", [TAG, IN_BACKGROUND])
def test_tag_page_and_service_worker_do_not_load_the_shell(start: str) -> None:
    needed, left = set[str](), [start, *(["js/tap/store.js"] if start == TAG else [])]
    while left:
        name = left.pop()
        needed.add(name)
        found = re.findall(r'^import .* from "([^"]+)"', SENT[name], re.MULTILINE)
        left += [str((Path("/") / name).parent.joinpath(path).resolve())[1:] for path in found]
    assert SHELL not in needed


def test_service_worker_can_send_an_unknown_kind_of_change(tmp_path: Path) -> None:
    """A kind may come from another version, and the service worker can load nothing later."""
    (tmp_path / "background.mjs").write_text(SENT[IN_BACKGROUND])
    (tmp_path / "run.mjs").write_text(
        "globalThis.self = {};\n"
        'const { queue$kinds } = await import("./background.mjs");\n'
        'console.log(await queue$kinds.loadKinds([{ kind: "of.another.version" }]));\n'
    )
    node = shutil.which("node")
    assert node, "the tests need Node.js"
    command = [node, "run.mjs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "true\n"


def test_type_checker_sees_the_script_folders_of_all_slices() -> None:
    folders = sorted(PACKAGE.rglob("static/js"))
    checked = json.loads((PACKAGE.parent / "jsconfig.json").read_text())["compilerOptions"]
    assert sorted(checked["rootDirs"]) == [
        str(path.relative_to(PACKAGE.parent)) for path in folders
    ]
