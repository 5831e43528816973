import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type ConnectionOptions, credsAuthenticator } from "nats";
import { readNatsUrl } from "./readNatsUrl.ts";

/**
 * The client options for NATS_URL. Files are read for each connection, because certificates and credentials may be
 * renewed. Throws if a file cannot be read.
 */
export const natsConnection = (
  text: string,
): Pick<ConnectionOptions, "servers" | "user" | "pass" | "token" | "tls" | "authenticator"> => {
  const read = readNatsUrl(text);
  if ("problem" in read) throw new Error(`NATS_URL should be ${read.problem}`);
  const { servers, hosts, user, password, token, tls } = read;
  const { tlsCAFile, userCertFile, userKeyFile, credsFile } = read.files;
  for (const file of [tlsCAFile, userCertFile, userKeyFile, credsFile]) {
    if (file) readFileSync(file);
  }
  return {
    servers: [...servers],
    ...(user !== null && { user, pass: password ?? "" }),
    ...(token !== null && { token }),
    ...(credsFile && { authenticator: credentialsOf(credsFile) }),
    ...(tls && {
      tls: {
        ...(tlsCAFile && { caFile: tlsCAFile }),
        ...(userCertFile && { certFile: userCertFile }),
        ...(userKeyFile && { keyFile: userKeyFile }),
        // The client passes unknown options to Node.js.
        ...{ checkServerIdentity: identityOf(hosts) },
      },
    }),
  };
};

/** Reads the JWT and seed file of `nsc` for each connection; if that fails, the last content is used. */
const credentialsOf = (file: string): ReturnType<typeof credsAuthenticator> => {
  let known = readFileSync(file);
  return (nonce) => {
    try {
      known = readFileSync(file);
    } catch {
      // The file is being replaced: the server decides about the old credentials.
    }
    return credsAuthenticator(known)(nonce);
  };
};

/** The client passes no host name for IP addresses, so that Node.js would check the certificate for "localhost". */
const identityOf = (hosts: readonly string[]) => {
  const numbers = hosts.filter((host) => isIP(host) !== 0);
  const isNamed = hosts.includes("localhost") || numbers.length === 0;
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const meant = name !== "localhost" ? [name] : isNamed ? [name, ...numbers] : numbers;
    const faults = meant.map((each) => checkServerIdentity(each, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
};
