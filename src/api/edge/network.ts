import { isIPv4, isIPv6 } from "node:net";

const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;
/** Groups of an IPv6 address that identify a network (/64); a customer chooses the rest. */
const NETWORK_GROUPS = 4;

/**
 * The network of an IP address, for rate limits: an IPv4 address itself, also if mapped to IPv6, or the /64 of an IPv6
 * address. Other texts are returned unchanged.
 */
export const networkOf = (address: string): string => {
  const [ip = ""] = address.split("%");
  if (!isIPv6(ip)) return address;
  const mapped = MAPPED.exec(ip);
  if (mapped) {
    const ipv4 = mapped[1] ?? dotted(mapped[2] ?? "", mapped[3] ?? "");
    if (isIPv4(ipv4)) return ipv4;
  }
  const [before = "", after] = ip.toLowerCase().split("::");
  const head = groupsIn(before);
  const tail = groupsIn(after ?? "");
  // A trailing IPv4 address counts as two groups.
  const tailLength = tail.length + (tail.at(-1)?.includes(".") ? 1 : 0);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tailLength) }, () => "0");
  const groups = after === undefined ? head : [...head, ...zeros, ...tail];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${network.join(":")}::/64`;
};

const groupsIn = (part: string): string[] => (part === "" ? [] : part.split(":"));

const dotted = (high: string, low: string): string => {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
};
