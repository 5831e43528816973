import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/**
 * The addresses that a test may reach. `public`: addresses that are reachable from anywhere. `open`: all addresses but
 * link-local ones and those of cloud metadata services, which hand out credentials of the machine.
 */
export type NetworkPolicy = "open" | "public" | Allowing;

/** A policy with exceptions (EXECUTION_ALLOW). */
export type Allowing = {
  readonly base: "open" | "public";
  readonly hosts: readonly string[];
  readonly networks: BlockList;
};

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

/** Link-local blocks, also behind NAT64, and metadata services outside of them (Alibaba Cloud, AWS over IPv6). */
const neverOpen = new BlockList();
neverOpen.addSubnet("169.254.0.0", 16, "ipv4");
neverOpen.addAddress("100.100.100.200", "ipv4");
neverOpen.addSubnet("fe80::", 10, "ipv6");
neverOpen.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
neverOpen.addAddress("fd00:ec2::254", "ipv6");

const isOpenAddress = (address: string): boolean => {
  const bare = address.replace(/%.*$/, "");
  const family = isIP(bare);
  return family !== 0 && !neverOpen.check(bare, ipv(family));
};

/** Whether an IP address is reachable from anywhere: not loopback, private, link-local, multicast or reserved. */
export const isPublicAddress = (address: string): boolean => {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const family = isIP(bare);
  if (family === 4) return !notPublic.check(bare, "ipv4");
  if (family !== 6) return false;
  return globalUnicast.check(bare, "ipv6") && !notPublicV6.check(bare, "ipv6");
};

/**
 * A policy with exceptions: hosts (`shop.internal`, `*.internal`) and networks (`10.1.0.0/16`, `fd00::/8`,
 * `10.1.2.3`). Throws if one is neither.
 */
export const allowing = (base: "open" | "public", allowed: readonly string[]): NetworkPolicy => {
  if (allowed.length === 0) return base;
  const networks = new BlockList();
  const hosts: string[] = [];
  for (const one of allowed) {
    const [address = "", prefix] = one.split("/");
    const family = isIP(address);
    if (family === 0) hosts.push(one.toLowerCase());
    else networks.addSubnet(address, Number(prefix ?? (family === 4 ? 32 : 128)), ipv(family));
  }
  return { base, hosts, networks };
};

/** Whether a policy allows local addresses. */
export const isOpen = (policy: NetworkPolicy): boolean =>
  policy === "open" || (policy !== "public" && policy.base === "open");

const ipv = (family: number): "ipv4" | "ipv6" => (family === 4 ? "ipv4" : "ipv6");

const withoutExceptions = (base: "open" | "public"): Allowing => ({
  base,
  hosts: [],
  networks: new BlockList(),
});

const allowsHost = ({ hosts }: Allowing, host: string): boolean =>
  hosts.some((one) => (one.startsWith("*.") ? host.endsWith(one.slice(1)) : host === one));

const allowsAddress = ({ base, networks }: Allowing, address: string): boolean => {
  const family = isIP(address);
  const isAllowed = base === "open" ? isOpenAddress : isPublicAddress;
  return isAllowed(address) || (family !== 0 && networks.check(address, ipv(family)));
};

/** Where a connection may go, or why it may not. */
export type Way = { readonly address: string } | { readonly refusal: string };

/**
 * Decides on a connection to a host, by the current addresses of its name, all of which must be allowed. The caller
 * connects to the returned address.
 */
export const wayTo = async (
  host: string,
  policy: NetworkPolicy,
  resolve: Resolve = resolveBySystem,
): Promise<Way> => {
  const allowed = typeof policy === "string" ? withoutExceptions(policy) : policy;
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  const addresses = isIP(bare) ? [bare] : await resolve(bare).catch(() => []);
  const [first] = addresses;
  if (first === undefined) return { refusal: `${host} has no address.` };
  if (allowsHost(allowed, bare)) return { address: first };
  const refused = addresses.find((each) => !allowsAddress(allowed, each));
  if (refused === undefined) return { address: first };
  if (allowed.base === "open") {
    return {
      refusal:
        `${host} is a link-local or cloud metadata address (${refused}), which tests may not reach. ` +
        "Name it in EXECUTION_ALLOW to allow it.",
    };
  }
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
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Under an open policy the gate alone resolves names, which saves a look-up for each step.
  if (isOpen(policy) && !isIP(host)) return null;
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  if (addresses.length === 0) return null;
  const way = await wayTo(url.hostname, policy, async () => addresses);
  return "refusal" in way ? way.refusal : null;
};

const quote = (text: string): string =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
