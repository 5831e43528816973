import type { Operation } from "../../src/api/operation.ts";
import type { Standing } from "../../src/domain/organizations/permissions.ts";

/** The role table, written out: who may do what, row by row. Not read from the code that it is held against. */
const rows = {
  /** Read tests, runs, reports, dashboard, runner status. */
  read: ["viewer", "editor", "admin", "owner", "api_key"],
  /** Write tests, sets, tags, folders, baselines; dispatch, cancel. */
  write: ["editor", "admin", "owner", "api_key"],
  /** Schedules, environments, secrets, quarantine. */
  configure: ["admin", "owner"],
  /** Members, invites, keys, organisation settings, audit. */
  manage: ["admin", "owner"],
  /** Usage, entitlements. */
  usage: ["viewer", "editor", "admin", "billing", "owner", "api_key"],
  /** Plan, changes, history, export: reading. */
  plan: ["admin", "billing", "owner"],
  /** Plan, changes: writing. */
  pay: ["billing", "owner"],
  /** Delete or transfer the organisation. */
  own: ["owner"],
  /** What everybody may know who is in the organisation at all: its name, and who they are in it. */
  anybody: ["viewer", "editor", "admin", "billing", "owner", "api_key"],
} as const satisfies Record<string, readonly Standing[]>;

/** Which row an operation is in: the first line whose method and path fit. */
const lines: readonly (readonly [method: RegExp, path: RegExp, row: keyof typeof rows])[] = [
  [/GET/, /^\/auth\/connection$/, "anybody"],

  [/GET/, /^\/organizations\/\{id\}$/, "anybody"],
  [/DELETE/, /^\/organizations\/\{id\}$/, "own"],
  [/POST/, /^\/organizations\/\{id\}\/(restore|transfer)$/, "own"],
  [/./, /^\/organizations\/\{id\}/, "manage"],
  [/./, /^\/(invites|api-keys)/, "manage"],

  [/./, /^\/(usage|entitlements)/, "usage"],
  [/GET/, /^\/plan/, "plan"],
  [/./, /^\/plan/, "pay"],

  [/GET/, /^\/notifications/, "read"],
  [
    /PUT|POST|DELETE/,
    /^\/notifications|^\/schedules|\/(environments|secrets|quarantine)(\/|$)/,
    "configure",
  ],
  // They store nothing: a look at what a text would become.
  [/POST/, /^\/tests\/(parse|\{id\}\/reparse)$/, "read"],
  [
    /GET/,
    /^\/(tests|test-sets|projects|folders|tags|runs|executions|reports|runner|schedules|dashboard)/,
    "read",
  ],
  [/./, /^\/(tests|test-sets|projects|folders|tags|runs|executions|runner)/, "write"],
  // Keys alone may ask: what a key may not do anywhere is not here either.
  [/GET/, /^\/cli\//, "read"],
  [/./, /^\/cli\//, "write"],
];

/** Who may do what an operation does. Throws, with what to do, when the table does not say. */
export const standingsFor = ({
  id,
  method,
  path,
}: Pick<Operation, "id" | "method" | "path">): readonly Standing[] => {
  const line = lines.find(([methods, paths]) => methods.test(method) && paths.test(path));
  if (line) return rows[line[2]];
  throw new Error(
    `Who may call ${id} (${method} ${path})? Add a line for its path to \`lines\` in test/support/roleTable.ts, ` +
      `with one of the rows ${Object.keys(rows).join(", ")}.`,
  );
};
