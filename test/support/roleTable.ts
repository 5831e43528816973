import type { Operation } from "../../src/api/operation.ts";
import type { Standing } from "../../src/domain/organizations/permissions.ts";

/** The role table of the specification. It is written here independently of the code that it checks. */
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
  /** Name of the organisation and own membership, for every member. */
  anybody: ["viewer", "editor", "admin", "billing", "owner", "api_key"],
} as const satisfies Record<string, readonly Standing[]>;

/** Maps operations to rows. The first line with a matching method and path applies. */
const lines: readonly (readonly [method: RegExp, path: RegExp, row: keyof typeof rows])[] = [
  [/GET/, /^\/auth\/connection$/, "anybody"],

  [/GET/, /^\/organizations\/\{id\}$/, "anybody"],
  [/DELETE/, /^\/organizations\/\{id\}$/, "own"],
  [/POST/, /^\/organizations\/\{id\}\/(restore|transfer)$/, "own"],
  [/./, /^\/organizations\/\{id\}/, "manage"],
  [/./, /^\/(invites|api-keys)/, "manage"],

  [/./, /^\/(usage|entitlements|audit\/log)/, "usage"],
  [/GET/, /^\/plan/, "plan"],
  [/./, /^\/plan/, "pay"],

  [/GET/, /^\/notifications/, "read"],
  [
    /PUT|POST|DELETE/,
    /^\/notifications|^\/schedules|\/(environments|secrets|quarantine)(\/|$)/,
    "configure",
  ],
  // These operations store nothing.
  [/POST/, /^\/tests\/(parse|\{id\}\/reparse)$/, "read"],
  [
    /GET/,
    /^\/(tests|test-sets|projects|folders|tags|runs|executions|reports|runner|schedules|dashboard)/,
    "read",
  ],
  [/./, /^\/(tests|test-sets|projects|folders|tags|runs|executions|runner)/, "write"],
  // Only API keys may call these, so none is closed to a key.
  [/GET/, /^\/cli\//, "read"],
  [/./, /^\/cli\//, "write"],
];

/** Returns who may call an operation. Throws with a remedy if the table has no matching line. */
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
