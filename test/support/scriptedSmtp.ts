import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import path from "node:path";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";

/** Where in the conversation the server does something else than a good one. */
export type Fault =
  /** Answers so, at this point, and hangs up after 421. `message`: once the whole message was read. */
  | {
      readonly at: "greeting" | "EHLO" | "MAIL" | "RCPT" | "DATA" | "message";
      readonly says: string;
    }
  /** Says nothing more from there on. */
  | { readonly at: "greeting" | "RCPT" | "DATA" | "message"; readonly silent: true }
  /** Hangs up without a word: in the middle of the message, or when it has the whole of it. */
  | { readonly at: "middle" | "message"; readonly drops: true }
  /** Says what it says a byte at a time, without end. */
  | { readonly at: "greeting" | "message"; readonly tricklesMs: number };

/** Certificates that one authority made: `good` for 127.0.0.1, one that has run out, one for another name; and one that signed itself. */
export type Certificate = "good" | "expired" | "otherName" | "selfSigned";

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const read = (name: string): string => readFileSync(path.join(FOLDER, name), "utf8");
/** The certificate of the authority, for those who are to trust it. */
export const testAuthority = (): string => read("ca.pem");

/**
 * A mail server that follows a script, byte by byte, where a library would be too good. It keeps the Message-ID of every
 * message that it has taken: also of one whose sender it never told.
 */
export const startScriptedSmtp = async (options: {
  /** From the first byte (`smtps`), or after STARTTLS; none: in the clear. */
  readonly tls?: "at once" | "starttls";
  readonly certificate?: Certificate;
}) => {
  const taken: string[] = [];
  const open = new Set<Socket>();
  let fault: Fault | null = null;
  const secret = () => ({
    key: read("server.key"),
    cert: read(`${options.certificate ?? "good"}.pem`),
  });

  const converse = (socket: Socket, isSecure: boolean): void => {
    let buffer = "";
    let isData = false;
    const trickles = new Set<NodeJS.Timeout>();
    socket.on("close", () => {
      for (const one of trickles) clearInterval(one);
    });
    socket.on("error", () => undefined);
    /** Says a line, unless the script has something else for here. Answers whether the conversation goes on. */
    const say = (at: string, line: string): boolean => {
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
    const take = (message: string): void => {
      // A message that is refused for good or for now is not taken; one whose sender hears nothing is.
      if (!(fault?.at === "message" && "says" in fault)) {
        taken.push(/^Message-ID: <(.*)>\r$/im.exec(message)?.[1] ?? "");
      }
      say("message", "250 taken");
    };
    const obey = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "EHLO" || verb === "HELO") {
        const offers = options.tls === "starttls" && !isSecure ? ["STARTTLS"] : [];
        const all = ["mail.test", ...offers, "8BITMIME"];
        say("EHLO", all.map((one, n) => `250${n < all.length - 1 ? "-" : " "}${one}`).join("\r\n"));
      } else if (verb === "STAR") {
        socket.write("220 go ahead\r\n");
        socket.removeAllListeners("data");
        converse(new TLSSocket(socket, { isServer: true, ...secret() }), true);
      } else if (verb === "DATA") {
        isData = say("DATA", "354 go on");
      } else if (verb === "QUIT") {
        socket.end("221 bye\r\n");
      } else say(verb, "250 ok");
    };
    socket.on("data", (chunk: Buffer) => {
      buffer += chunk.toString("latin1");
      for (;;) {
        if (isData && fault?.at === "middle" && buffer.length > 0) {
          socket.destroy();
          return;
        }
        const end = buffer.indexOf(isData ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const text = buffer.slice(0, end + 2);
        buffer = buffer.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          take(text);
        } else obey(text.trim());
      }
    });
    if (!isSecure || options.tls === "at once") say("greeting", "220 mail.test");
  };

  const server =
    options.tls === "at once"
      ? createTlsServer(secret(), (socket) => converse(socket, true))
      : createServer((socket) => converse(socket, false));
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
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of open) socket.destroy();
      server.close(() => resolve());
    });
  // Nobody else is given it while nobody listens there.
  await listen(await stablePort());
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === "at once" ? "smtps" : "smtp"}://127.0.0.1:${port}`,
    taken,
    /** How many connections there are. */
    connections: () => open.size,
    behave: (next: Fault | null) => {
      fault = next;
    },
    /** Nobody listens any more; `listenAgain`: at the same port. */
    stop,
    listenAgain: () => listen(port),
  };
};

export type ScriptedSmtp = Awaited<ReturnType<typeof startScriptedSmtp>>;
