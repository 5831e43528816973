import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { makeKey, signUp } from "../../support/client.ts";
import { program } from "../../support/program.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { runledger } from "./kit.ts";

/** `runledger mcp`, used through the client of the protocol. */
describe("the tool server", () => {
  let service: TestService;
  let site: DemoSite;
  let client: Client;
  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    const { key } = await makeKey(service.url, await signUp(service.url));
    client = new Client({ name: "a model's program", version: "1.0.0" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...program, "mcp"],
        env: {
          PATH: process.env.PATH ?? "",
          HOME: process.env.HOME ?? "",
          RUNLEDGER_URL: service.url,
          RUNLEDGER_API_KEY: key,
        },
      }),
    );
  });
  afterAll(async () => {
    await client.close();
    await Promise.all([service.stop(), site.close()]);
  });

  const callTool = async (name: string, input: Record<string, unknown>) => {
    const { content, isError } = await client.callTool(
      { name, arguments: input },
      { timeout: 100_000 },
    );
    const [first] = content;
    if (first?.type === "image") return { isError, image: first };
    if (first?.type !== "text") throw new Error("neither text nor picture");
    return { isError: isError ?? false, text: first.text };
  };
  const told = async (name: string, input: Record<string, unknown>) => {
    const { isError, text } = await callTool(name, input);
    expect([isError, text]).toEqual([false, expect.any(String)]);
    return JSON.parse(text ?? "");
  };

  it("lists each tool with its input and whether it only reads", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["list_tests", true],
      ["show_test", true],
      ["create_test", false],
      ["run_tests", false],
      ["read_run", true],
      ["read_execution", true],
      ["read_screenshot", true],
    ]);
    for (const { inputSchema, description } of tools) {
      expect(inputSchema.type).toBe("object");
      expect(description).toMatch(/\.$/);
    }
  });

  it("creates and runs a test and returns verdict, steps and screenshot", async () => {
    const created = await told("create_test", {
      name: "To do",
      text: 'Go to /todo\nI should see "no such words"',
    });
    expect(created).toMatchObject({ name: "To do", step_count: 2, version: 1 });
    expect((await told("list_tests", { search: "To do" })).items).toMatchObject([
      { id: created.id },
    ]);
    expect((await told("show_test", { test_id: created.id })).steps).toHaveLength(2);

    const { runs } = await told("run_tests", { test_ids: [created.id], base_url: site.url });
    expect(runs).toMatchObject([{ status: "failed", is_over: true, totals: { failed: 1 } }]);
    const [run] = runs;
    const executionId = run.tests[0].execution_id;
    expect(await told("read_run", { run_id: run.run_id })).toEqual(run);
    const execution = await told("read_execution", { execution_id: executionId });
    expect(execution.browsers[0].steps).toMatchObject([
      { status: "passed" },
      { status: "failed", error: expect.stringContaining("no such words") },
    ]);
    const { image } = await callTool("read_screenshot", {
      execution_id: executionId,
      step_number: 1,
    });
    expect(image?.mimeType).toBe("image/jpeg");
    expect(Buffer.from(image?.data ?? "", "base64").subarray(0, 2)).toEqual(
      Buffer.from([255, 216]),
    );
  });

  it("returns the reason of a failed call and continues", async () => {
    const unknown = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e";
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ["create_test", { name: "x", text: "Frobnicate the gizmo" }, /line 1: Frobnicate/],
      ["create_test", { name: "", text: "Go to /" }, /name/],
      ["show_test", { test_id: unknown }, /no test/],
      ["run_tests", {}, /name the tests by test_ids/],
      ["read_execution", { execution_id: unknown }, /no execution/],
      ["read_screenshot", { execution_id: unknown, step_number: 1 }, /no execution/],
      ["read_screenshot", { execution_id: unknown, step_number: 0 }, /step_number/],
    ];
    for (const [name, input, message] of cases) {
      expect([name, await callTool(name, input)]).toEqual([
        name,
        { isError: true, text: expect.stringMatching(message) },
      ]);
    }
    await expect(callTool("drop_tables", {})).rejects.toThrow(/drop_tables/);
    expect((await told("list_tests", {})).items).toBeInstanceOf(Array);
  });

  it("does not start without an API key", async () => {
    const ended = await runledger(["mcp"], { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: "" });
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      2,
      "",
      expect.stringContaining("RUNLEDGER_API_KEY is not set"),
    ]);
  });
});
