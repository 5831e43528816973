import { createBrowsers, openTraces } from "../../workers/executor/index.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { runAgent } from "./agent.ts";
import type { AgentOptions } from "./state.ts";

/** Runs an agent with the browsers of this machine. Throws CommandError (unavailable) if a browser does not start. */
export const startAgent = async (
  options: AgentOptions,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> => {
  const browsers = createBrowsers({
    paths: {
      chromium: environment.BROWSER_PATH_CHROMIUM || null,
      firefox: environment.BROWSER_PATH_FIREFOX || null,
      webkit: environment.BROWSER_PATH_WEBKIT || null,
    },
    // Agents exist to test hosts that only this machine reaches.
    network: "open",
    onLog: (message) => terminal.record({ type: "browser", message }),
  });
  for (const name of options.browsers) {
    try {
      const { version } = await browsers.of(name).warm();
      terminal.say(`${name} ${version}`);
    } catch (error) {
      await browsers.close();
      const why = error instanceof Error ? error.message : String(error);
      throw new CommandError(`${name}: ${why}`, exitCodes.unavailable);
    }
  }
  const named = { service: "runledger-agent", version: options.version };
  const traces = await openTraces(environment, named, (message) =>
    terminal.record({ type: "trouble", error: message }),
  );
  try {
    return await runAgent(
      { ...options, ...(traces && { begin: traces.begin }) },
      browsers,
      terminal,
    );
  } finally {
    await traces?.stop();
  }
};
