import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type ConnectionOptions, credsAuthenticator } from "nats";
import { readNatsUrl } from "./readNatsUrl.ts";

/**
 * How the client connects to what NATS_URL says. Files are read again for each connection: certificates and
 * credentials may be renewed while the service runs. Throws when one cannot be read now.
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
        // The client hands on to Node what it does not know.
        ...{ checkServerIdentity: identityOf(hosts) },
      },
    }),
  };
};

/** The file of a user's JWT and seed, as `nsc` writes it; as it last was, when it cannot be read just now. */
const credentialsOf = (file: string): ReturnType<typeof credsAuthenticator> => {
  let known = readFileSync(file);
  return (nonce) => {
    try {
      known = readFileSync(file);
    } catch {
      // It is being replaced: the server says whether the old one still counts.
    }
    return credsAuthenticator(known)(nonce);
  };
};

/** The client names no host where the address is a number, and Node then takes "localhost" for what it connects to. */
const identityOf = (hosts: readonly string[]) => {
  const numbers = hosts.filter((host) => isIP(host) !== 0);
  const isNamed = hosts.includes("localhost") || numbers.length === 0;
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const meant = name !== "localhost" ? [name] : isNamed ? [name, ...numbers] : numbers;
    const faults = meant.map((each) => checkServerIdentity(each, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
};
