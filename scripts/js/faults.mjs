// `node --experimental-vm-modules faults.mjs MODULES PATH...`: every fault of these scripts, as JSON.
// MODULES is the folder where TypeScript is installed; positions are in bytes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { SourceTextModule } from "node:vm";

const [, , modules, ...paths] = process.argv;
const { resolve } = createRequire(`${modules}/`);
const { API } = await import(resolve("typescript/unstable/sync"));
const ts = await import(resolve("typescript/unstable/ast"));

const TURNED = { "===": "!==", "==": "!=", "<": "<=", ">": ">=" };
for (const [one, other] of Object.entries(TURNED)) TURNED[other] = one;
const LOGICAL = new Set(["&&", "||", "??"]);
const EMPTY = new Set(['""', "[]", "{}"]); // `?? ""` mostly tells the type checker what cannot happen
const LARGE = 100; // one more of as many milliseconds or bytes would be no fault
const CONFIG = "/faults/tsconfig.json";
const OPTIONS = { allowJs: true, noEmit: true, noLib: true, noResolve: true, types: [], target: "esnext", module: "esnext" };

/** The service worker is a template: what Jinja fills in reads as names of the same length here. */
function asScript(text) {
  return text.replace(/\{%.*?%\}/gs, (tag) => tag.replace(/\S/g, " ")).replace(/\{\{.*?\}\}/gs, (tag) => "_".repeat(tag.length));
}

function* faultsIn(text, file) {
  for (const [kind, node, instead] of faultsBelow(file, file)) {
    const [start, end] = [node.getStart(file), node.end];
    new SourceTextModule(asScript(text.slice(0, start) + instead + text.slice(end))); // throws where it does not parse
    const bytes = (at) => Buffer.byteLength(text.slice(0, at));
    const line = text.slice(0, start).split("\n").length;
    yield { line, kind, start: bytes(start), end: bytes(end), instead };
  }

  function* faultsBelow(node) {
    yield* faultsOf(node);
    const children = [];
    node.forEachChild((child) => void children.push(child));
    for (const child of children) if (runs(child)) yield* faultsBelow(child);
  }

  function written(node) {
    return text.slice(node.getStart(file), node.end);
  }

  function* faultsOf(node) {
    if (ts.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node;
      const operator = written(operatorToken);
      if (operator in TURNED) yield ["a comparison turned", node, `(${written(left)} ${TURNED[operator]} ${written(right)})`];
      if (operator === "in" || operator === "instanceof") yield ["a comparison turned", node, `(!(${written(node)}))`];
      if (LOGICAL.has(operator) && !EMPTY.has(written(right))) yield ["a condition dropped", node, `(${written(left)})`];
    } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
      yield ["a constant moved", node, written(node) === "true" ? "false" : "true"];
    } else if (ts.isNumericLiteral(node) && !isStart(node)) {
      const number = Number(written(node).replaceAll("_", ""));
      yield ["a constant moved", node, String(number < LARGE ? number + 1 : number * 10)];
    } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
      yield ["a condition dropped", node.expression, "false"];
    } else if (ts.isConditionalExpression(node)) {
      yield ["a condition dropped", node.condition, "false"];
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(withoutAwait(node.expression))) {
      yield ["a call left out", node, ";"];
    } else if (ts.isAwaitExpression(node) && !isReturned(node) && !isLast(node)) {
      yield ["an await removed", node, written(node.expression)];
    } else if (ts.isReturnStatement(node) && endsABranch(node)) {
      yield ["a return left out", node, ";"];
    }
  }
}

/** Neither imports nor the types in comments, which TypeScript has in the tree. */
function runs(node) {
  return !ts.isImportDeclaration(node) && !ts.isTypeNode(node);
}

function withoutAwait(node) {
  return ts.isAwaitExpression(node) ? node.expression : node;
}

/** Where a counter or a timer begins, which is any number. */
function isStart({ parent, parent: { parent: list } }) {
  const isVariable = ts.isVariableDeclaration(parent) && (list.flags & ts.NodeFlags.Let) !== 0;
  return isVariable || ts.isPropertyDeclaration(parent);
}

/** Nothing in its function comes after it, whether it has ended by then or not. */
function isLast({ parent }) {
  const block = parent.parent;
  const isBody = ts.isBlock(block) && block.parent.body === block;
  return ts.isExpressionStatement(parent) && isBody && block.statements.at(-1) === parent;
}

/** A promise that is returned is awaited all the same, but for `try`, which would not catch it. */
function isReturned({ parent }) {
  return (ts.isReturnStatement(parent) && !ts.isTryStatement(parent.parent?.parent)) || ts.isArrowFunction(parent);
}

/** Without the return, what follows the branch runs too; one that is all of its branch is its condition's fault. */
function endsABranch({ parent }) {
  return ts.isBlock(parent) && parent.statements.length > 1 && ts.isIfStatement(parent.parent);
}

const config = JSON.stringify({ compilerOptions: OPTIONS, files: paths });
const texts = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
const readFile = (path) => (path === CONFIG ? config : texts.has(path) ? asScript(texts.get(path)) : undefined);
const api = new API({ cwd: "/", fs: { readFile, fileExists: (path) => path === CONFIG || undefined } });
const [{ program }] = api.updateSnapshot({ openProject: CONFIG }).getProjects();
const found = paths.map((path) => [...faultsIn(texts.get(path), program.getSourceFile(path))]);
api.close();
console.log(JSON.stringify(found));
