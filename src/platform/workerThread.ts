import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a worker thread on the module `name` in the folder of `beside`, an `import.meta.url`. From TypeScript
 * sources (tests, `npm run dev`) the thread gets the loader of tsx, which it does not inherit.
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

/** `--import tsx` has no effect in worker threads. */
const loader = (): string => {
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const code = `import { register } from ${tsx}; register();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
};
