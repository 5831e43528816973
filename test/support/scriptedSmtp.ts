import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import path from "node:path";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";

/** A deviation from the protocol at one point of the conversation. */
export type Fault =
  /** Answers with this line, and closes the connection after 421. `message` is the end of the message. */
  | {
      readonly at: "greeting" | "EHLO" | "MAIL" | "RCPT" | "DATA" | "message";
      readonly says: string;
    }
  /** Stops answering. */
  | { readonly at: "greeting" | "RCPT" | "DATA" | "message"; readonly silent: true }
  /** Closes the connection without an answer, within or after the message. */
  | { readonly at: "middle" | "message"; readonly drops: true }
  /** Sends an endless answer, one byte per interval. */
  | { readonly at: "greeting" | "message"; readonly tricklesMs: number };

/** `good`, `expired` and `otherName` are signed by the test authority; `good` is for 127.0.0.1. */
export type Certificate = "good" | "expired" | "otherName" | "selfSigned";

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const read = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");
/** Returns the certificate of the test authority. */
export const testAuthority = (): string => read("ca.pem");

type ScriptedOptions = {
  /** TLS from the first byte (`smtps`) or after STARTTLS. Default: no TLS. */
  readonly tls?: "at once" | "starttls";
  readonly certificate?: Certificate;
};

type Script = {
  readonly options: ScriptedOptions;
  readonly taken: string[];
  fault: Fault | null;
};

/**
 * Starts a mail server with scripted protocol faults that a library cannot produce. `taken` lists the Message-ID of every
 * received message, including those that were not acknowledged.
 */
export const startScriptedSmtp = async (options: ScriptedOptions) => {
  const script: Script = { options, taken: [], fault: null };
  const open = new Set<Socket>();
  const server =
    options.tls === "at once"
      ? createTlsServer(secretOf(options), (socket) => converse(script, socket, true))
      : createServer((socket) => converse(script, socket, false));
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, "127.0.0.1", resolve);
    });
  // No other process gets this port while the server is stopped.
  await listen(await stablePort());
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === "at once" ? "smtps" : "smtp"}://127.0.0.1:${port}`,
    taken: script.taken,
    /** Returns the number of open connections. */
    connections: () => open.size,
    behave: (next: Fault | null) => {
      script.fault = next;
    },
    /** Stops listening. `listenAgain` restarts on the same port. */
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
    listenAgain: () => listen(port),
  };
};

const secretOf = ({ certificate = "good" }: ScriptedOptions) => ({
  key: read("server.key"),
  cert: read(`${certificate}.pem`),
});

type Conversation = {
  readonly script: Script;
  readonly socket: Socket;
  readonly isSecure: boolean;
  readonly trickles: Set<NodeJS.Timeout>;
  /** The client sends a message. */
  isData: boolean;
};

const converse = (script: Script, socket: Socket, isSecure: boolean): void => {
  const trickles = new Set<NodeJS.Timeout>();
  const conversation: Conversation = { script, socket, isSecure, trickles, isData: false };
  let buffer = "";
  socket.on("close", () => {
    for (const one of trickles) clearInterval(one);
  });
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    buffer += chunk.toString("latin1");
    for (;;) {
      const { isData } = conversation;
      if (isData && script.fault?.at === "middle" && buffer.length > 0) {
        socket.destroy();
        return;
      }
      const end = buffer.indexOf(isData ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const text = buffer.slice(0, end + 2);
      buffer = buffer.slice(end + (isData ? 5 : 2));
      if (isData) take(conversation, text);
      else obey(conversation, text.trim());
    }
  });
  if (!isSecure || script.options.tls === "at once") say(conversation, "greeting", "220 mail.test");
};

/** Sends a line or the scripted fault. Returns whether the conversation continues. */
const say = ({ script, socket, trickles }: Conversation, at: string, line: string): boolean => {
  const { fault } = script;
  if (fault === null || fault.at !== at) {
    socket.write(`${line}\r\n`);
    return true;
  }
  if ("silent" in fault) return false;
  if ("drops" in fault) {
    socket.destroy();
    return false;
  }
  if ("tricklesMs" in fault) {
    trickles.add(setInterval(() => socket.write("2"), fault.tricklesMs));
    return false;
  }
  socket.write(`${fault.says}\r\n`);
  if (fault.says.startsWith("421")) socket.end();
  return false;
};

const take = (conversation: Conversation, message: string): void => {
  const { fault, taken } = conversation.script;
  conversation.isData = false;
  // A refused message is not taken; an unanswered one is.
  if (!(fault?.at === "message" && "says" in fault)) {
    taken.push(/^Message-ID: <(.*)>\r$/im.exec(message)?.[1] ?? "");
  }
  say(conversation, "message", "250 taken");
};

const obey = (conversation: Conversation, line: string): void => {
  const { script, socket, isSecure } = conversation;
  const verb = line.slice(0, 4).toUpperCase();
  if (verb === "EHLO" || verb === "HELO") {
    const offers = script.options.tls === "starttls" && !isSecure ? ["STARTTLS"] : [];
    const all = ["mail.test", ...offers, "8BITMIME"];
    const lines = all.map((one, n) => `250${n < all.length - 1 ? "-" : " "}${one}`);
    say(conversation, "EHLO", lines.join("\r\n"));
  } else if (verb === "STAR") {
    socket.write("220 go ahead\r\n");
    socket.removeAllListeners("data");
    const secured = new TLSSocket(socket, { isServer: true, ...secretOf(script.options) });
    converse(script, secured, true);
  } else if (verb === "DATA") {
    conversation.isData = say(conversation, "DATA", "354 go on");
  } else if (verb === "QUIT") {
    socket.end("221 bye\r\n");
  } else say(conversation, verb, "250 ok");
};

export type ScriptedSmtp = Awaited<ReturnType<typeof startScriptedSmtp>>;
