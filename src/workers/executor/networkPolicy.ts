import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** What a test may reach: `open` everything, `public` only addresses that are reachable from anywhere. */
export type NetworkPolicy = "open" | "public";

/** Gives the addresses of a host name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Special-purpose blocks that are not globally reachable (IANA registries, RFC 6890). */
const NOT_PUBLIC_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) notPublic.addSubnet(network, prefix, "ipv4");

/** Global unicast (2000::/3), less what lies in it and is not reachable or leads to IPv4 by another way. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");
const notPublicV6 = new BlockList();
notPublicV6.addSubnet("2001::", 23, "ipv6");
notPublicV6.addSubnet("2001:db8::", 32, "ipv6");
notPublicV6.addSubnet("2002::", 16, "ipv6");
notPublicV6.addSubnet("3fff::", 20, "ipv6");

/** Whether an IP address is reachable from anywhere: not loopback, private, link-local, multicast or reserved. */
export const isPublicAddress = (address: string): boolean => {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const family = isIP(bare);
  if (family === 4) return !notPublic.check(bare, "ipv4");
  if (family !== 6) return false;
  return globalUnicast.check(bare, "ipv6") && !notPublicV6.check(bare, "ipv6");
};

/**
 * Why an address must not be requested under a policy, or null when it may.
 * Under either policy only http and https are allowed (steps are users' input: `file:` would read the executor's disk).
 */
export const refusalOf = async (
  address: string,
  policy: NetworkPolicy,
  resolve: Resolve = resolveBySystem,
): Promise<string | null> => {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return `${quote(address)} is not an address.`;
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `Only http and https addresses can be opened, not ${url.protocol} ones.`;
  }
  if (policy === "open") return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  const refused = addresses.find((each) => !isPublicAddress(each));
  if (refused === undefined) return null;
  return (
    `${url.host} is not on the public internet (${refused}), and this service runs tests against public addresses only. ` +
    "Run it with EXECUTION_NETWORK=open to test local addresses."
  );
};

const quote = (text: string): string =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
