import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** What a test may reach: `open` everything, `public` only addresses that are reachable from anywhere, and what is allowed besides. */
export type NetworkPolicy = "open" | "public" | PublicAnd;

/** What a test may reach under `public` though it is not: EXECUTION_ALLOW. */
export type PublicAnd = { readonly hosts: readonly string[]; readonly networks: BlockList };

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
 * The policy `public` with what is allowed besides: hosts (`shop.internal`, `*.internal`) and networks
 * (`10.1.0.0/16`, `fd00::/8`, `10.1.2.3`). Throws on one that is neither.
 */
export const publicAnd = (allowed: readonly string[]): NetworkPolicy => {
  if (allowed.length === 0) return "public";
  const networks = new BlockList();
  const hosts: string[] = [];
  for (const one of allowed) {
    const [address = "", prefix] = one.split("/");
    const family = isIP(address);
    if (family === 0) hosts.push(one.toLowerCase());
    else networks.addSubnet(address, Number(prefix ?? (family === 4 ? 32 : 128)), ipv(family));
  }
  return { hosts, networks };
};

const ipv = (family: number): "ipv4" | "ipv6" => (family === 4 ? "ipv4" : "ipv6");

const NOTHING: PublicAnd = { hosts: [], networks: new BlockList() };

const allowsHost = ({ hosts }: PublicAnd, host: string): boolean =>
  hosts.some((one) => (one.startsWith("*.") ? host.endsWith(one.slice(1)) : host === one));

const allowsAddress = ({ networks }: PublicAnd, address: string): boolean => {
  const family = isIP(address);
  return isPublicAddress(address) || (family !== 0 && networks.check(address, ipv(family)));
};

/** Where a connection may go, or why it may not. */
export type Way = { readonly address: string } | { readonly refusal: string };

/**
 * Decides on a connection to a host under any policy but `open`: on the addresses that its name has now, so
 * that what is connected to is what was decided on. Every one of them must be allowed.
 */
export const wayTo = async (
  host: string,
  policy: Exclude<NetworkPolicy, "open">,
  resolve: Resolve = resolveBySystem,
): Promise<Way> => {
  const allowed = policy === "public" ? NOTHING : policy;
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  const addresses = isIP(bare) ? [bare] : await resolve(bare).catch(() => []);
  const [first] = addresses;
  if (first === undefined) return { refusal: `${host} has no address.` };
  if (allowsHost(allowed, bare)) return { address: first };
  const refused = addresses.find((each) => !allowsAddress(allowed, each));
  if (refused === undefined) return { address: first };
  return {
    refusal:
      `${host} is not on the public internet (${refused}), and this service runs tests against public addresses only. ` +
      "Run it with EXECUTION_NETWORK=open to test local addresses, or name what may be reached in EXECUTION_ALLOW.",
  };
};

/**
 * Why an address must not be requested under a policy, or null when it may.
 * Under any policy only http and https are allowed (steps are users' input: `file:` would read the executor's disk).
 * A name that has no address is not refused here: the browser says so better.
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
  if (addresses.length === 0) return null;
  const way = await wayTo(url.hostname, policy, async () => addresses);
  return "refusal" in way ? way.refusal : null;
};

const quote = (text: string): string =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
