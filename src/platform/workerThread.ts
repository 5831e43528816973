import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a thread on the module `name` that stands beside the one whose `import.meta.url` is given, in the language of
 * that one. From the sources (tests, `npm run dev`) it needs their loader, which a thread does not inherit.
 */
export const startWorkerThread = (
  name: string,
  beside: string,
  options: WorkerOptions = {},
): Worker => {
  const isSource = beside.endsWith(".ts");
  const file = new URL(`./${name}.${isSource ? "ts" : "js"}`, beside);
  return new Worker(file, isSource ? { ...options, execArgv: ["--import", loader()] } : options);
};

/** `--import tsx` is for the first thread of a process alone. */
const loader = (): string => {
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const code = `import { register } from ${tsx}; register();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
};
