import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CommandError } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import { tools } from "./tools.ts";

/**
 * `runledger mcp`: serves tools over the Model Context Protocol on standard input and output, with the rights of the
 * API key. A CommandError becomes an error result of the tool. Resolves when the client closes standard input or
 * `signal` is aborted.
 */
export const serveTools = async (
  service: Service,
  version: string,
  signal: AbortSignal,
): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const handle = serveStdio(() => toolServer(service, version), {
    onerror: (error) => process.stderr.write(`${error.message}\n`),
  });
  await closed;
  await handle.close();
};

const toolServer = (service: Service, version: string): McpServer => {
  const server = new McpServer(
    { name: "runledger", version },
    {
      capabilities: { tools: {} },
      instructions:
        "Browser tests in plain English. Create a test with create_test, run it with run_tests, and look at read_execution and read_screenshot where one failed.",
    },
  );
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.input,
        annotations: { readOnlyHint: tool.readsOnly, openWorldHint: true },
      },
      async (input, context) => {
        try {
          return { content: [...(await tool.call(service, input, context.mcpReq.signal))] };
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          return { isError: true, content: [{ type: "text", text: error.message }] };
        }
      },
    );
  }
  return server;
};
