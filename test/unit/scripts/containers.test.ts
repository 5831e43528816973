import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig, ROLES, SETTING_NAMES } from "../../../src/platform/config.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly deploy?: {
    readonly resources: { readonly limits: { cpus?: string; memory?: string; pids?: number } };
  };
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
};

const compose = parse(read("docker-compose.yml"), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

/** What Compose makes of `${NAME:-default}` and of `${NAME:?why}`, which must be set. */
const resolved = (value: string): string =>
  value
    .replaceAll(/\$\{(\w+):-([^}]*)\}/g, "$2")
    .replaceAll(/\$\{(\w+):\?[^}]*\}/g, "ab".repeat(32));

const settingsOf = ({ environment = {} }: Service): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, resolved(String(value))]),
  );

/** Where a host and a port of a connection string lead, such as `postgres:5432`. */
const targets = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(settings).flatMap((value) =>
    [...value.matchAll(/:\/\/(?:[^@/]*@)?([a-z]+):(\d+)/g)].map(
      ([, host, port]) => `${host}:${port}`,
    ),
  );

describe("docker-compose.yml", () => {
  it("gives each service a pinned image, a health check, limits and an unprivileged user", () => {
    for (const [name, service] of services) {
      if (!service.build) expect(service.image, name).toMatch(/^[\w./-]+:[\w.-]*\d+\.?\d*[\w.-]*$/);
      expect(service.image, name).not.toMatch(/:latest$/);
      const test = service.healthcheck?.test ?? [];
      expect(test.length, name).toBeGreaterThan(1);
      // A colon in a plain line of YAML makes something else of it.
      expect(
        test.filter((word) => typeof word !== "string"),
        name,
      ).toEqual([]);
      expect(service.user, name).toMatch(/^[1-9]\d*:[1-9]\d*$/);
      const { limits } = service.deploy?.resources ?? { limits: {} };
      expect(limits, name).toEqual({
        cpus: expect.stringMatching(/^\d+(\.\d+)?$/),
        memory: expect.stringMatching(/^\d+[MG]$/),
        pids: expect.any(Number),
      });
      expect(service.cap_drop, name).toEqual(["ALL"]);
      expect(service.security_opt, name).toContain("no-new-privileges:true");
    }
  });

  it("has exactly the known components, each with a volume for its data", () => {
    expect(services.map(([name]) => name)).toEqual([
      ...["eventstore", "postgres", "nats", "minio", "mailpit"],
      ...["api", "projections", "executor"],
    ]);
    expect(compose.services.eventstore?.image).toMatch(/:23\.10\./);
    for (const [name, { volumes = [] }] of services) {
      expect(volumes.length, name).toBeGreaterThan(0);
      for (const volume of volumes)
        expect(compose.volumes).toHaveProperty(volume.split(":")[0] ?? "");
    }
  });

  it("publishes each port once, on loopback", () => {
    const ports = services.flatMap(([, { ports: all = [] }]) => all);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it("sets only known and valid settings, and each role once", () => {
    const taken = ours.flatMap(([, service]) => {
      const settings = settingsOf(service);
      expect(Object.keys(settings).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
      return loadConfig(settings).roles;
    });
    expect([...taken].sort()).toEqual([...ROLES].sort());
  });

  it("points settings to healthy services that are waited for, at an open port", () => {
    for (const [name, service] of ours) {
      expect(service.read_only, name).toBe(true);
      const led = targets(settingsOf(service)).map((target) => target.split(":")[0]);
      expect(new Set(led)).toEqual(new Set(Object.keys(service.depends_on ?? {})));
      for (const target of targets(settingsOf(service))) {
        const [host = "", port] = target.split(":");
        expect(service.depends_on?.[host]?.condition, target).toBe("service_healthy");
        const published = compose.services[host]?.ports?.map((each) => each.split(":").at(-1));
        expect(published, target).toContain(port);
      }
    }
  });

  it("checks health at the port in the settings", () => {
    for (const [, service] of ours) {
      const { metricsPort } = loadConfig(settingsOf(service));
      expect(service.healthcheck?.test.join(" ")).toContain(
        `127.0.0.1:${metricsPort}/health/ready`,
      );
    }
  });
});

describe("Dockerfile", () => {
  const text = read("Dockerfile").replaceAll("\\\n", " ");
  const stages = [...text.matchAll(/^FROM (\S+) AS (\S+)\n([\s\S]*?)(?=^FROM|(?![\s\S]))/gm)].map(
    ([, from = "", name = "", body = ""]) => ({ from, name, body }),
  );
  const ignored = read(".dockerignore").split("\n");

  it("begins each stage with a pinned image or an earlier stage and ends with the server", () => {
    const names = stages.map(({ name }) => name);
    expect(names.at(-1)).toBe("server");
    for (const [index, { from }] of stages.entries()) {
      if (!names.slice(0, index).includes(from)) expect(from).toMatch(/^node:\d+\.\d+\.\d+-/);
    }
    for (const [name, { build }] of ours) expect(names, name).toContain(build?.target);
  });

  it("runs as an unprivileged user and has a browser only in the executor", () => {
    for (const { name, body } of stages.filter(({ name }) => /^(server|executor)$/.test(name))) {
      expect(body.match(/^USER (\w+)$/gm)?.at(-1), name).toBe("USER node");
      expect(body.includes("chromium"), name).toBe(name === "executor");
    }
    expect(stages.find(({ name }) => name === "runtime")?.body).toMatch(/^HEALTHCHECK /m);
  });

  it("copies only existing files that .dockerignore admits", () => {
    const copied = stages.flatMap(({ body }) =>
      [...body.matchAll(/^COPY ((?!--from)[^\n]+)$/gm)].flatMap(([, all = ""]) =>
        all.split(" ").slice(0, -1),
      ),
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const file of copied) {
      expect(existsSync(path.join(root, file)), file).toBe(true);
      expect(ignored).toContain(`!${file}`);
    }
    expect(ignored).toContain("*");
    const letIn = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect([...letIn].sort()).toEqual([...new Set(copied)].sort());
  });

  it("sets only known settings and roles", () => {
    const set = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, all = ""]) => all.split(" "));
    const known = set.filter((each) => !each.startsWith("HOME="));
    for (const each of known) expect(SETTING_NAMES).toContain(each.split("=")[0]);
    const roles = known
      .filter((each) => each.startsWith("ROLES="))
      .flatMap((each) => each.slice(6).split(","));
    expect([...roles].sort()).toEqual([...ROLES].sort());
  });
});
