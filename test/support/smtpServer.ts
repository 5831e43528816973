import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = Email & { readonly to?: { readonly address?: string }[] };

/** How the server treats the next messages. */
export type Behaviour =
  | "take"
  /** Answers RCPT TO with this code. */
  | 450
  | 550
  /** Answers a connection with 421 and closes it. */
  | 421
  /** Answers the complete message with this code. */
  | 451
  /** Accepts a connection and does not answer. */
  | "silence"
  /** Closes the connection within the message. */
  | "drop";

/** Starts a real mail server on loopback that stores received mail and can be told to fail. */
export const startSmtpServer = async () => {
  const received: ReceivedMail[] = [];
  let behaviour: Behaviour = "take";
  let connections = 0;
  const silent = new Set<() => void>();
  const refusal = (responseCode: number) =>
    Object.assign(new Error("<ann@example.test> is not wanted"), { responseCode });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onConnect: (_session, done) => {
      connections += 1;
      if (behaviour === "silence") silent.add(() => done());
      else done(behaviour === 421 ? refusal(421) : null);
    },
    onRcptTo: (_address, _session, done) =>
      done(behaviour === 550 || behaviour === 450 ? refusal(behaviour) : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      if (behaviour === "drop") dropConnection(server, session.id);
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (behaviour === 451) {
          done(refusal(451));
          return;
        }
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          received.push(mail as ReceivedMail);
          done();
        }, done);
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    behave: (next: Behaviour) => {
      behaviour = next;
    },
    stop: async () => {
      for (const speak of silent) speak();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};

const dropConnection = (server: SMTPServer, sessionId: string): void => {
  for (const { session, _socket } of server.connections as Set<{
    session?: { id: string };
    _socket: { destroy(): void };
  }>) {
    if (session?.id === sessionId) _socket.destroy();
  }
};

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;
