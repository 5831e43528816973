import type { Worker } from "node:worker_threads";
import { startWorkerThread } from "../../platform/workerThread.ts";
import type { PasswordAnswer, PasswordDone, PasswordWork } from "./passwordWork.ts";

/** The idle time after which a thread is ended, to free its memory. */
const IDLE_MS = 30_000;

type Thread = { readonly worker: Worker; current: Asked | null; ending: NodeJS.Timeout | null };
type Asked = {
  readonly resolve: (done: PasswordDone) => void;
  readonly reject: (error: Error) => void;
};

/** A pool of threads for password work: grows with concurrent work, ends idle threads. */
export const createPasswordThreads = () => {
  const idle = new Set<Thread>();

  const start = (): Thread => {
    const thread: Thread = {
      worker: startWorkerThread("passwordThread", import.meta.url),
      current: null,
      ending: null,
    };
    thread.worker.on("message", (answer: PasswordAnswer) => {
      const asked = thread.current;
      keep(thread);
      if (answer.kind === "failed") asked?.reject(new Error(answer.message));
      else asked?.resolve(answer);
    });
    const ended = (): void => {
      idle.delete(thread);
      thread.current?.reject(new Error("The thread that works on passwords ended"));
    };
    thread.worker.on("error", ended).on("exit", ended);
    return thread;
  };

  const keep = (thread: Thread): void => {
    thread.current = null;
    const end = (): void => {
      idle.delete(thread);
      void thread.worker.terminate();
    };
    thread.ending = setTimeout(end, IDLE_MS).unref();
    // Idle threads do not keep the process alive.
    thread.worker.unref();
    idle.add(thread);
  };

  const take = (): Thread => {
    const [kept] = idle;
    if (!kept) return start();
    idle.delete(kept);
    if (kept.ending) clearTimeout(kept.ending);
    kept.worker.ref();
    return kept;
  };

  return {
    /** Executes a piece of work. Rejects if the stored hash is invalid or the thread ended. */
    ask: (work: PasswordWork): Promise<PasswordDone> =>
      new Promise((resolve, reject) => {
        const thread = take();
        thread.current = { resolve, reject };
        thread.worker.postMessage(work);
      }),
  };
};
