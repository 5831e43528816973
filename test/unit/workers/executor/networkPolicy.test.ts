import { describe, expect, it } from "vitest";
import {
  allowing,
  isPublicAddress,
  refusalOf,
  wayTo,
} from "../../../../src/workers/executor/networkPolicy.ts";

describe("isPublicAddress", () => {
  it.each([
    ...["127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1"],
    ...["::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1"],
    ...["::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2001:db8::1", "2002:7f00:1::"],
    ...["[::1]", "not an address", ""],
  ])("rejects %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["8.8.8.8", "172.32.0.1", "192.0.78.1", "2606:4700::1111", "[2a00:1450::1]"])(
    "accepts %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe("refusalOf", () => {
  const resolve = async (host: string) => {
    if (host === "nowhere.test") throw new Error("ENOTFOUND");
    return host === "rebound.test" ? ["93.184.216.34", "10.0.0.5"] : ["93.184.216.34"];
  };

  it.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "chrome://version",
    "ftp://x",
  ])("refuses %s under either policy", async (address) => {
    expect(await refusalOf(address, "open", resolve)).toMatch(/Only http and https/);
    expect(await refusalOf(address, "public", resolve)).toMatch(/Only http and https/);
  });

  it("refuses a local address under the public policy only", async () => {
    expect(await refusalOf("http://[::1]:3000/", "open", resolve)).toBeNull();
    expect(await refusalOf("http://[::1]:3000/", "public", resolve)).toMatch(
      /not on the public internet/,
    );
    expect(await refusalOf("http://0x7f000001/", "public", resolve)).toMatch(/127\.0\.0\.1/);
  });

  it("refuses a name with one local address", async () => {
    expect(await refusalOf("https://rebound.test/", "public", resolve)).toMatch(/10\.0\.0\.5/);
    expect(await refusalOf("https://example.test/", "public", resolve)).toBeNull();
  });

  it("leaves an unresolvable name to the browser", async () => {
    expect(await refusalOf("https://nowhere.test/", "public", resolve)).toBeNull();
  });
});

describe("wayTo", () => {
  const metadata = async () => ["169.254.169.254"];

  it.each([
    ...["169.254.0.1", "[fe80::1]", "[fe80::1%25eth0]", "[::ffff:169.254.1.1]"],
    ...["[64:ff9b::a9fe:a9fe]", "100.100.100.200", "[fd00:ec2::254]"],
  ])("refuses %s under an open policy", async (host) => {
    expect(await wayTo(host.replace("%25", "%"), "open", async () => [])).toHaveProperty("refusal");
  });

  it("refuses a name with a link-local address, unless it or its address is allowed", async () => {
    const host = "metadata.google.internal";
    expect(await wayTo(host, "open", metadata)).toEqual({
      refusal: expect.stringMatching(/link-local.*EXECUTION_ALLOW/),
    });
    const way = { address: "169.254.169.254" };
    for (const allowed of [host, "*.google.internal", "169.254.169.254", "169.254.0.0/16"]) {
      expect(await wayTo(host, allowing("open", [allowed]), metadata)).toEqual(way);
    }
  });

  it("allows loopback, private and public addresses under an open policy", async () => {
    for (const host of ["127.0.0.1", "::1", "10.1.2.3", "192.168.1.1", "8.8.8.8"]) {
      expect(await wayTo(host, "open")).toEqual({ address: host });
    }
  });
});
