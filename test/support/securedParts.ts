import { execFileSync } from "node:child_process";
import { chown, copyFile, readFile, stat, writeFile } from "node:fs/promises";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import path from "node:path";
import { createServer as createTlsServer } from "node:tls";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";
import { type NatsServer, startNatsServer } from "./natsServer.ts";

/** Certificates for 127.0.0.1 as `scriptedSmtp` has them. */
export type Certificate = "good" | "expired" | "otherName" | "selfSigned";

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const fixture = (name: string): string => path.join(FOLDER, name);
/** The file of the authority that made `good`, `expired` and `otherName`. */
export const authorityFile = fixture("ca.pem");

/** A NATS server that speaks TLS alone and lets `ann` in with this password. */
export const startSecuredNats = (
  password: string,
  certificate: Certificate = "good",
): Promise<NatsServer> =>
  startNatsServer(`
    tls { cert_file: "${fixture(`${certificate}.pem`)}", key_file: "${fixture("server.key")}", timeout: 5 }
    authorization { user: ann, password: "${password}" }`);

/** A PostgreSQL in a folder that takes encrypted connections alone, each with a password. */
export const startSecuredPostgres = async (dataDir: string) => {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const { folder } = JSON.parse(await readFile(path.join(dataDir, "postgres.json"), "utf8"));
  const cluster = path.resolve(dataDir, folder);
  const { uid, gid } = await stat(cluster);
  const put = async (certificate: Certificate): Promise<void> => {
    for (const [from, to] of [
      [`${certificate}.pem`, "server.crt"],
      ["server.key", "server.key"],
    ] as const) {
      await copyFile(fixture(from), path.join(cluster, to));
      if (process.getuid?.() === 0) await chown(path.join(cluster, to), uid, gid);
    }
    execFileSync("chmod", ["600", path.join(cluster, "server.key")]);
  };
  const asOwner = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  let owner = postgres.url;
  await put("good");
  await asOwner("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()");
  // Who comes without TLS is refused from now on, the owner among them.
  await writeFile(
    path.join(cluster, "pg_hba.conf"),
    "hostssl all all 127.0.0.1/32 scram-sha-256\n",
  );
  await asOwner("SELECT pg_reload_conf()");
  // Whatever its certificate is: a test may have changed it.
  owner = `${postgres.url}?sslmode=no-verify`;
  const { port } = new URL(postgres.url);
  return {
    /** The superuser, through TLS. */
    url: owner,
    port: Number(port),
    asOwner,
    /** Answers with another certificate from now on. */
    certify: async (certificate: Certificate): Promise<void> => {
      await put(certificate);
      await asOwner("SELECT pg_reload_conf()");
    },
    stop: postgres.stop,
  };
};

/** Speaks TLS, with HTTP/2 in it, in front of a port of 127.0.0.1 that does not. */
export const startTlsFront = async (target: number, certificate: Certificate = "good") => {
  const [key, cert] = await Promise.all(
    ["server.key", `${certificate}.pem`].map((name) => readFile(fixture(name))),
  );
  const open = new Set<Socket>();
  const server = createTlsServer({ key, cert, ALPNProtocols: ["h2"] }, (near) => {
    const far = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.on("tlsClientError", () => undefined);
  return listening(server, open);
};

/** An event log that refuses everybody, as one does that does not know the user. */
export const startRefusingLog = async () => {
  const [key, cert] = await Promise.all(
    ["server.key", "good.pem"].map((name) => readFile(fixture(name))),
  );
  const server = createSecureServer({ key, cert });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": "16",
        "grpc-message": "no",
      },
      { endStream: true },
    );
  });
  const open = new Set<Socket>();
  server.on("secureConnection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  });
  return listening(server as unknown as Server, open);
};

const listening = async (server: Server, open: ReadonlySet<Socket>) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
};
