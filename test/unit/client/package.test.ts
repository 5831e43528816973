import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");
const tsc = path.join(root, "node_modules/typescript/bin/tsc");

/** Installs the packed package, with only the client built, and its dependencies into another project. */
describe("runledger/client, from the package", () => {
  let folder: string;
  const run = (command: string, args: readonly string[], cwd: string): string => {
    try {
      return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} failed:\n${stdout}${stderr}`);
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-client-"));
    const pack = path.join(folder, "pack");
    const installed = path.join(folder, "user/node_modules/runledger");
    await Promise.all([mkdir(pack), mkdir(installed, { recursive: true })]);
    await cp(path.join(root, "package.json"), path.join(pack, "package.json"));
    await cp(path.join(root, "bin"), path.join(pack, "bin"), { recursive: true });
    const options = [
      "--outDir",
      path.join(pack, "dist"),
      "--tsBuildInfoFile",
      path.join(folder, "info"),
    ];
    const sources = path.join(folder, "tsconfig.json");
    await writeFile(
      sources,
      JSON.stringify({
        extends: path.join(root, "tsconfig.build.json"),
        compilerOptions: {
          rootDir: path.join(root, "src"),
          typeRoots: [path.join(root, "node_modules/@types")],
        },
        include: [],
        files: [path.join(root, "src/client/client.ts")],
      }),
    );
    run(process.execPath, [tsc, "-p", sources, ...options], root);
    run("npm", ["pack", "--ignore-scripts", "--silent"], pack);
    const [tarball = ""] = (await readdir(pack)).filter((name) => name.endsWith(".tgz"));
    run("tar", ["-xzf", path.join(pack, tarball), "-C", installed, "--strip-components=1"], pack);
    for (const name of ["openapi-fetch", "openapi-typescript-helpers"]) {
      await symlink(
        path.join(root, "node_modules", name),
        path.join(folder, "user/node_modules", name),
      );
    }
    await writeFile(path.join(folder, "user/package.json"), '{"type":"module"}');
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("exports only the client to ES modules", async () => {
    const script = `
      import { runledgerClient } from "runledger/client";
      let asked;
      const client = runledgerClient({
        baseUrl: "https://tests.example.org",
        apiKey: "ak_live_1",
        fetch: async (request) => {
          asked = [request.url, request.headers.get("authorization")];
          return Response.json({ status: "passed" });
        },
      });
      const { data } = await client.GET("/api/v1/cli/cloud-runs/{id}", { params: { path: { id: "7" } } });
      const rest = await import("runledger/dist/main.js").catch(({ code }) => code);
      console.log(JSON.stringify({ asked, data, rest }));`;
    const said = run(
      process.execPath,
      ["--input-type=module", "-e", script],
      path.join(folder, "user"),
    );
    expect(JSON.parse(said)).toEqual({
      asked: ["https://tests.example.org/api/v1/cli/cloud-runs/7", "Bearer ak_live_1"],
      data: { status: "passed" },
      rest: "ERR_PACKAGE_PATH_NOT_EXPORTED",
    });
  });

  it("has types for paths, parameters and responses", async () => {
    const user = path.join(folder, "user");
    await writeFile(
      path.join(user, "user.ts"),
      `import { type Answer, type components, runledgerClient } from "runledger/client";
      const client = runledgerClient({ baseUrl: "https://tests.example.org", apiKey: "ak_live_1" });
      const { data } = await client.GET("/api/v1/cli/cloud-runs/{id}", { params: { path: { id: "7" } } });
      const run: Answer<"readCloudRun", 200> | undefined = data;
      const status: string | undefined = run?.status;
      export const all: readonly [string | undefined, components | null] = [status, null];
      // @ts-expect-error there is no such operation
      await client.GET("/api/v1/nothing");
      // @ts-expect-error the parameters are required
      await client.GET("/api/v1/cli/cloud-runs/{id}", {});`,
    );
    run(
      process.execPath,
      [
        tsc,
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--target",
        "es2023",
        "user.ts",
      ],
      user,
    );
  }, 120_000);
});
