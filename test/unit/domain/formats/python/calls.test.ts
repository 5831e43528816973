import { expect, it } from "vitest";
import type { StepInput } from "../../../../../src/domain/catalogue/step.ts";
import {
  actionDefinitions,
  actionNames,
  problemsOf,
} from "../../../../../src/domain/catalogue/vocabulary.ts";
import { toPython } from "../../../../../src/domain/formats/python/index.ts";
import { runPython } from "../../../../support/python.ts";

/** A value that an action takes, for each that takes not any. */
const VALUES: Readonly<Record<string, string>> = {
  navigate: "/login",
  press: "Control+A",
  scroll: "bottom",
  wait: "2 s",
  wait_for: "enabled",
  assert_count: "3",
  assert_attribute: "href=/home",
  assert_url: "/a(b)/",
  set_viewport: "800x600",
  store: "total",
  drag: "Bin",
};

const TARGETS = [
  '"Save" button',
  "Email",
  'the 2nd "A" item in the "B" section',
  'the link next to "Total"',
  "css=.a",
  "testid=a",
  "Add item",
];

/** Every action, with each kind of target; and its value with a variable in it. */
const steps: readonly StepInput[] = actionNames
  .flatMap((action) => {
    const { target, value } = actionDefinitions[action];
    const targets =
      target.use === "none" ? [""] : [...TARGETS, ...(target.use === "optional" ? [""] : [])];
    const plain = value.use === "none" ? "" : (VALUES[action] ?? "any");
    const more = action === "drag" ? ['right of "Bin"', 'point 5,9 of "Bin"'] : [];
    const values =
      value.use === "none" ? [""] : [...more, plain, action === "store" ? plain : "${user}"];
    return targets.flatMap((where) =>
      [...values, ...(value.use === "optional" ? [""] : [])].map((what) => ({
        ...{ action, target: where, value: what, description: "" },
        ...{ optional: what === "", disabled: false },
      })),
    );
  })
  .filter((step) => problemsOf(step).length === 0);

/** Each call of a script: what is called, on what kind of thing, how many arguments, which by name. */
const PROGRAM = `
import ast, builtins, json, sys
tree = ast.parse(sys.stdin.read())
defined = {n.name: n.args for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
names = {a.asname or a.name for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
locals_ = {a.arg for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda)) for a in n.args.args}
calls, wrong = set(), []
for n in ast.walk(tree):
    if not isinstance(n, ast.Call):
        continue
    keys = [k.arg for k in n.keywords]
    if isinstance(n.func, ast.Name):
        name = n.func.id
        if name in defined:
            args = defined[name]
            known = [a.arg for a in args.args + args.kwonlyargs]
            most = len(args.args) if args.vararg is None else 10**6
            stars = any(isinstance(a, ast.Starred) for a in n.args)
            least = len(args.args) - len(args.defaults)
            given = len(n.args) + len([k for k in keys if k in [a.arg for a in args.args]])
            if any(k not in known for k in keys) or len(n.args) > most or (not stars and given < least):
                wrong.append(ast.unparse(n))
        elif name not in names and name not in locals_ and not hasattr(builtins, name):
            wrong.append(ast.unparse(n))
    elif isinstance(n.func, ast.Attribute):
        calls.add((n.func.attr, *sorted(k for k in keys if k)))
print(json.dumps({"wrong": wrong, "methods": sorted([list(c) for c in calls])}))
`;

/** Methods of Playwright's sync API, and the arguments that they have by name (its documentation, "Python"). */
const PLAYWRIGHT: Readonly<Record<string, readonly string[]>> = {
  and_: [],
  as_element: [],
  bounding_box: [],
  bring_to_front: [],
  accept: [],
  dismiss: [],
  check: [],
  clear: [],
  click: ["button"],
  close: [],
  count: [],
  dblclick: [],
  down: [],
  drag_to: ["target_position"],
  evaluate: [],
  evaluate_handle: [],
  expect_file_chooser: [],
  fill: [],
  filter: ["has", "has_text"],
  focus: [],
  get_by_alt_text: [],
  get_by_label: [],
  get_by_placeholder: [],
  get_by_role: ["name"],
  get_by_test_id: [],
  get_by_text: [],
  get_by_title: [],
  go_back: [],
  go_forward: [],
  goto: [],
  hover: [],
  inner_text: [],
  input_value: [],
  launch: ["executable_path", "headless"],
  locator: [],
  move: ["steps"],
  new_context: ["base_url"],
  new_page: [],
  not_to_be_checked: [],
  nth: [],
  once: [],
  or_: [],
  press: [],
  press_sequentially: [],
  reload: [],
  screenshot: ["path"],
  scroll_into_view_if_needed: [],
  select_option: [],
  set_files: [],
  set_input_files: [],
  set_viewport_size: [],
  title: [],
  to_be_checked: [],
  to_be_disabled: [],
  to_be_enabled: [],
  to_be_visible: [],
  to_contain_text: [],
  to_have_attribute: [],
  to_have_text: [],
  to_have_title: [],
  to_have_url: [],
  to_have_value: [],
  uncheck: [],
  up: [],
  wait_for_timeout: [],
};

/** Of Python's own texts, lists, paths and modules. */
const PYTHON: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    (
      "append pop setdefault index split upper lower strip startswith isdigit groups join get fullmatch " +
      "compile escape sub reduce count monotonic b64encode decode read_bytes"
    )
      .split(" ")
      .map((name) => [name, []]),
  ),
  mkdir: ["exist_ok", "parents"],
};

it("skips the signature check without Python locally, and fails it in continuous integration", () => {
  const absent = { python: "python-that-is-not-there" };
  expect(runPython("print(1)", "", { ...absent, isWatched: false })).toBeNull();
  expect(() => runPython("print(1)", "", { ...absent, isWatched: true })).toThrow(/is needed/);
});

it("exports only existing Playwright calls for every action and kind of target", () => {
  const document = { name: "All", text: "", language: "en", platform: "web", steps };
  const script = toPython(document);
  for (const name of actionNames) expect(steps.map(({ action }) => action)).toContain(name);
  const stdout = runPython(PROGRAM, script);
  // Where there is no Python, nothing reads Python: what can be seen without is in python.test.ts.
  if (stdout === null) return;
  const { wrong, methods } = JSON.parse(stdout) as {
    readonly wrong: readonly string[];
    readonly methods: readonly (readonly string[])[];
  };
  expect(wrong).toEqual([]);
  const unknown = methods.filter(([name = "", ...keys]) => {
    const known = [PLAYWRIGHT, PYTHON].filter((table) => Object.hasOwn(table, name));
    return !known.some((table) => keys.every((key) => table[name]?.includes(key)));
  });
  expect(unknown).toEqual([]);
});
