import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { chown, copyFile, readFile, stat, writeFile } from "node:fs/promises";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import path from "node:path";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import pg from "pg";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";
import { eventually } from "./client.ts";
import { type NatsServer, startNatsServer } from "./natsServer.ts";

/** Certificates for 127.0.0.1, also used by `scriptedSmtp`. */
export type Certificate = "good" | "expired" | "otherName" | "selfSigned";

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const fixture = (name: string): string => path.join(FOLDER, name);
/** File of the authority that signed `good`, `expired` and `otherName`. */
export const authorityFile = fixture("ca.pem");

/** Starts a NATS server that requires TLS and accepts the user `ann` with this password. */
export const startSecuredNats = (
  password: string,
  certificate: Certificate = "good",
): Promise<NatsServer> =>
  startNatsServer(`
    tls { cert_file: "${fixture(`${certificate}.pem`)}", key_file: "${fixture("server.key")}", timeout: 5 }
    authorization { user: ann, password: "${password}" }`);

/** Starts a PostgreSQL that requires TLS and a password. */
export const startSecuredPostgres = async (dataDir: string) => {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const { folder } = JSON.parse(await readFile(path.join(dataDir, "postgres.json"), "utf8"));
  const cluster = path.resolve(dataDir, folder);
  const asOwner = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  // A test may have changed the certificate, so it is not verified.
  const withTls = `${postgres.url}?sslmode=no-verify`;
  /** The server reloads its settings some time after `pg_reload_conf()` returned. */
  const presents = async (certificate: Certificate): Promise<void> => {
    const expected = new X509Certificate(await readFile(fixture(`${certificate}.pem`)));
    await eventually(
      () => presentedBy(withTls).catch(() => null),
      (fingerprint) => fingerprint === expected.fingerprint256,
    );
  };
  let owner = postgres.url;
  await putCertificate(cluster, "good");
  await asOwner("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()");
  await presents("good");
  // Connections without TLS are refused from now on, also those of the owner.
  await writeFile(
    path.join(cluster, "pg_hba.conf"),
    "hostssl all all 127.0.0.1/32 scram-sha-256\n",
  );
  await asOwner("SELECT pg_reload_conf()");
  owner = withTls;
  await eventually(
    () => presentedBy(postgres.url).catch((error: Error) => error.message),
    (answer) => String(answer).includes("pg_hba.conf"),
  );
  const { port } = new URL(postgres.url);
  return {
    /** Runs statements as the superuser through TLS. */
    url: owner,
    port: Number(port),
    asOwner,
    /** Replaces the certificate. */
    certify: async (certificate: Certificate): Promise<void> => {
      await putCertificate(cluster, certificate);
      await asOwner("SELECT pg_reload_conf()");
      await presents(certificate);
    },
    stop: postgres.stop,
  };
};

/** Copies certificate and key into the folder of a cluster, for the account that owns it. */
const putCertificate = async (cluster: string, certificate: Certificate): Promise<void> => {
  const { uid, gid } = await stat(cluster);
  for (const [from, to] of [
    [`${certificate}.pem`, "server.crt"],
    ["server.key", "server.key"],
  ] as const) {
    await copyFile(fixture(from), path.join(cluster, to));
    if (process.getuid?.() === 0) await chown(path.join(cluster, to), uid, gid);
  }
  execFileSync("chmod", ["600", path.join(cluster, "server.key")]);
};

/** The fingerprint of the certificate that a PostgreSQL presents, null without TLS. Throws if it refuses the user. */
const presentedBy = async (url: string): Promise<string | null> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    return stream instanceof TLSSocket ? stream.getPeerCertificate().fingerprint256 : null;
  } finally {
    await client.end();
  }
};

/** Starts a TLS endpoint with HTTP/2 in front of a plain port of 127.0.0.1. */
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

/** Starts an event log that refuses every user. */
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
