import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CommandError } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import { tools } from "./tools.ts";

/**
 * `runledger mcp`: a tool server over standard input and output, for programs that speak the Model Context
 * Protocol. It has the rights of the key and no others. What goes wrong is the answer of the tool, so that
 * the model can read it; the connection goes on. Resolves when the other side has gone, or `signal` is aborted.
 */
export const serveTools = async (
  service: Service,
  version: string,
  signal: AbortSignal,
): Promise<void> => {
  const gone = new Promise<void>((resolve) => {
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const handle = serveStdio(() => toolServer(service, version), {
    onerror: (error) => process.stderr.write(`${error.message}\n`),
  });
  await gone;
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
