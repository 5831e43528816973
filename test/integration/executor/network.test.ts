import { createSocket } from "node:dgram";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { findBrowser } from "../../../src/workers/executor/browserFinder.ts";
import { type BrowserPool, createBrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openGate } from "../../../src/workers/executor/gate.ts";
import { allowing, type Resolve } from "../../../src/workers/executor/networkPolicy.ts";
import { openPool, run, step } from "./kit.ts";

/** Loopback has many addresses: this one stands for the public internet, 127.0.0.1 for the inside of a network. */
const OUTSIDE = "127.0.0.2";
const INSIDE = "127.0.0.1";

/** Ways in which a page asks for something at `inside`, each under a path of its own. */
const waysIn = (inside: string): Readonly<Record<string, string>> => ({
  image: `<img src="${inside}/image">`,
  iframe: `<iframe src="${inside}/iframe"></iframe>`,
  script: `<script async src="${inside}/script"></script>`,
  style: `<link rel="stylesheet" href="${inside}/style">`,
  prefetch: `<link rel="prefetch" href="${inside}/prefetch">`,
  object: `<object data="${inside}/object"></object>`,
  video: `<video src="${inside}/video" preload="auto"></video>`,
  fetch: `<script>fetch("${inside}/fetch", { mode: "no-cors" }).catch(() => {})</script>`,
  xhr: `<script>{ const x = new XMLHttpRequest(); x.open("GET", "${inside}/xhr"); x.send(); }</script>`,
  beacon: `<script>navigator.sendBeacon("${inside}/beacon", "x")</script>`,
  events: `<script>new EventSource("${inside}/events")</script>`,
  socket: `<script>new WebSocket("${inside.replace("http", "ws")}/socket")</script>`,
  redirected: `<img src="/to?${inside}/redirected">`,
  refreshed: `<iframe srcdoc="<meta http-equiv=refresh content='0;url=${inside}/refreshed'>"></iframe>`,
  form: `<iframe name="f"></iframe><form target="f" method="post" action="${inside}/form"></form><script>document.forms[0].submit()</script>`,
  popup: `<script>window.open("${inside}/popup")</script>`,
  download: `<script>{ const a = document.createElement("a"); a.href = "${inside}/download"; a.download = "x"; a.target = "_blank"; document.body.append(a); a.click(); }</script>`,
  worker: `<script>new Worker(URL.createObjectURL(new Blob(['fetch("${inside}/worker", { mode: "no-cors" })'])))</script>`,
  imported: `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("${inside}/imported")'])))</script>`,
  "service-worker": `<script>navigator.serviceWorker.register("/service-worker.js?${inside}")</script>`,
});

/** Pages that lead elsewhere themselves. */
const LEADING: Readonly<Record<string, (to: string) => string>> = {
  "a meta refresh": (to) => `<meta http-equiv="refresh" content="0;url=${to}">`,
  "a script": (to) => `<script>location.href = "${to}"</script>`,
  "a form that sends itself": (to) =>
    `<form method="post" action="${to}"></form><script>document.forms[0].submit()</script>`,
};

const listen = async (server: Server, host: string, port: number): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
};

describe("the public network policy", () => {
  /** What came in inside: `connection` for each, whatever was said on it. */
  let reached: string[] = [];
  let inside: string;
  let outside: string;
  let port: number;
  const udp = createSocket("udp4");
  const canary = createServer((request, response) => {
    reached.push((request.url ?? "").slice(1));
    response.setHeader("access-control-allow-origin", "*");
    response.end("secret");
  });
  canary.on("connection", () => reached.push("connection"));
  const pages = new Map<string, string>();
  const site = createServer((request, response) => {
    const url = request.url ?? "/";
    const query = decodeURIComponent(url.slice(url.indexOf("?") + 1));
    if (url.startsWith("/to?")) return response.writeHead(302, { location: query }).end();
    if (url.startsWith("/echo?x=1")) return request.pipe(response);
    if (url.startsWith("/service-worker.js")) {
      response.setHeader("content-type", "text/javascript");
      return response.end(`fetch("${query}/service-worker", { mode: "no-cors" })`);
    }
    response.setHeader("content-type", "text/html");
    return response.end(`<body><h1>Outside</h1>${pages.get(url) ?? ""}`);
  });

  const sockets = new WebSocketServer({ server: site, path: "/socket" });
  sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(`${data}`)));

  /** Names of the test's own; `rebinds.test` is another machine the second time that it is looked up. */
  let lookups = 0;
  const resolve: Resolve = async (host) => {
    if (host === "inside.test") return [INSIDE];
    if (host === "both.test") return [OUTSIDE, INSIDE];
    if (host === "rebinds.test") {
      lookups += 1;
      return [lookups === 1 ? OUTSIDE : INSIDE];
    }
    if (host === "localhost") return ["::1", INSIDE];
    throw new Error(`There is no ${host}`);
  };

  let guarded: BrowserPool;
  const policy = allowing("public", [OUTSIDE]);
  beforeAll(async () => {
    port = await listen(canary, INSIDE, 0);
    await listen(site, OUTSIDE, port);
    inside = `http://${INSIDE}:${port}`;
    outside = `http://${OUTSIDE}:${port}`;
    await new Promise<void>((done) => udp.bind(port, INSIDE, done));
    udp.on("message", () => reached.push("datagram"));
    guarded = createBrowserPool({
      find: () => findBrowser({ allowInstall: false }),
      network: policy,
      resolve,
    });
  });
  afterEach(() => {
    reached = [];
  });
  afterAll(async () => {
    await guarded.close();
    udp.close();
    for (const socket of sockets.clients) socket.terminate();
    for (const server of [canary, site]) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  const timeouts = { actionMs: 10_000, assertionMs: 10_000, navigationMs: 10_000 };
  const visit = (
    pool: BrowserPool,
    path: string,
    more: Parameters<typeof run>[2] = { networkPolicy: policy },
    wait = "1500 ms",
  ) =>
    run(
      pool,
      [
        step("navigate", "", path),
        step("assert_visible", 'heading "Outside"'),
        step("wait", "", wait),
      ],
      { baseUrl: outside, timeouts, ...more },
    );
  const webrtc = () =>
    `<script>{ const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:${INSIDE}:${port}" }] }); p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o)); }</script>`;

  test("blocks every way inside that an open policy permits", async () => {
    const ways = waysIn(inside);
    pages.set("/ways", Object.values(ways).join("\n"));
    const open = openPool();
    // The page stays until all of it has come in.
    const over = new AbortController();
    const more = { networkPolicy: "open", signal: over.signal } as const;
    const visiting = visit(open, "/ways", more, "60 s");
    await expect.poll(() => Object.keys(ways).filter((way) => !reached.includes(way))).toEqual([]);
    over.abort();
    await visiting;
    await open.close();

    pages.set("/guarded", `${Object.values(ways).join("\n")}${webrtc()}`);
    reached = [];
    const ran = await visit(guarded, "/guarded");
    expect(reached).toEqual([]);
    // The site itself was reached through the gate.
    expect(ran.error).toBeNull();
  });

  const refused = (error: string | null) =>
    expect(error).toMatch(/is not on the public internet \(.*EXECUTION_ALLOW/);

  test("fails a step with its reason on a redirect inside", async () => {
    const ran = await run(guarded, [step("navigate", "", `/to?${inside}/redirect`)], {
      baseUrl: outside,
      networkPolicy: policy,
      timeouts,
    });
    expect(ran.status).toBe("errored");
    refused(ran.error);
    expect(reached).toEqual([]);
  });

  test.each(Object.entries(LEADING))(
    "ends a test with its reason if the page leads inside by %s",
    async (name, page) => {
      pages.set(`/${name.length}`, page(`${inside}/led`));
      const steps = [step("navigate", "", `/${name.length}`), step("wait", "", "10 s")];
      const ran = await run(guarded, steps, { baseUrl: outside, networkPolicy: policy, timeouts });
      expect(ran.status).toBe("errored");
      refused(ran.error);
      expect(reached).toEqual([]);
    },
  );

  test("blocks names that change their address or also resolve to an inside address", async () => {
    pages.set(
      "/names",
      ["inside.test", "both.test", "localhost"]
        .map((host) => waysIn(`http://${host}:${port}`))
        .flatMap((ways) => [ways.image, ways.fetch, ways.socket, ways.iframe])
        .join(""),
    );
    expect((await visit(guarded, "/names")).error).toBeNull();
    expect(reached).toEqual([]);

    lookups = 0;
    const again = await run(
      guarded,
      [
        step("navigate", "", `http://rebinds.test:${port}/`),
        step("assert_visible", 'heading "Outside"'),
        step("navigate", "", `http://rebinds.test:${port}/again`),
      ],
      { networkPolicy: policy, timeouts },
    );
    // The connection may be kept: then it is still the machine that was decided on.
    if (lookups > 1) refused(again.error);
    expect(reached).toEqual([]);
  });

  test.each([
    "2130706433",
    "0177.0.0.1",
    "0x7f000001",
    "0x7f.1",
    "127.1",
    "127.0.0.1.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "0.0.0.0",
    "0",
    "localhost",
    "LOCALHOST.",
  ])("blocks steps and pages that write the inside address as %s", async (host) => {
    const address = `http://${host}:${port}`;
    const ran = await run(guarded, [step("navigate", "", address)], {
      networkPolicy: policy,
      timeouts,
    });
    expect(ran.status).not.toBe("passed");
    const ways = waysIn(address);
    pages.set("/odd", [ways.image, ways.fetch, ways.iframe, ways.socket].join(""));
    await run(guarded, [step("navigate", "", "/odd"), step("wait", "", "200 ms")], {
      baseUrl: outside,
      networkPolicy: policy,
      timeouts,
    });
    expect(reached).toEqual([]);
  });

  test.each([
    "file:///etc/passwd",
    "data:text/html,<h1>Outside</h1>",
    "javascript:alert(1)",
    "view-source:http://127.0.0.2/",
    "chrome://version",
    "blob:http://127.0.0.2/x",
    "about:blank",
    "ftp://127.0.0.2/",
  ])("refuses to open addresses such as %s under any policy", async (address) => {
    for (const networkPolicy of ["open", policy] as const) {
      const ran = await run(guarded, [step("navigate", "", address)], { networkPolicy, timeouts });
      expect(ran.status).toBe("errored");
      expect(ran.error).toMatch(/Only http and https addresses can be opened|is not an address/);
    }
  });

  test("passes forms, responses of any length and WebSockets unchanged", async () => {
    pages.set(
      "/passes",
      `<h2 id="posted"></h2><h2 id="echoed"></h2><script>
        fetch("/echo?x=1", { method: "POST", body: "a".repeat(200000) })
          .then((r) => r.text()).then((t) => { document.querySelector("#posted").textContent = "Posted " + t.length; });
        const s = new WebSocket("${outside.replace("http", "ws")}/socket");
        s.onopen = () => s.send("hello");
        s.onmessage = ({ data }) => { document.querySelector("#echoed").textContent = "Echoed " + data; };
      </script>`,
    );
    const ran = await run(
      guarded,
      [
        step("navigate", "", "/passes"),
        step("assert_visible", 'heading "Posted 200000"'),
        step("assert_visible", 'heading "Echoed hello"'),
      ],
      { baseUrl: outside, networkPolicy: policy, timeouts },
    );
    expect(ran.error).toBeNull();
  });

  test("blocks links to files of the machine", async () => {
    pages.set(
      "/files",
      `<iframe src="file:///etc/passwd"></iframe><a href="file:///etc/passwd">File</a><script>window.open("file:///etc/passwd")</script>`,
    );
    const ran = await run(
      guarded,
      [
        step("navigate", "", "/files"),
        step("click", "File link"),
        step("assert_visible", 'heading "Outside"'),
        step("assert_url", "", `${outside}/files`),
      ],
      { baseUrl: outside, networkPolicy: policy, timeouts },
    );
    expect(ran.error).toBeNull();
  });
});

describe("an open network", () => {
  const METADATA = "169.254.169.254";
  let port = 0;
  let pool: BrowserPool;
  const site = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<h1>Inside</h1>");
  });
  beforeAll(async () => {
    port = await listen(site, INSIDE, 0);
    pool = createBrowserPool({
      find: () => findBrowser({ allowInstall: false }),
      network: "open",
      resolve: async (host) => (host === "metadata.test" ? [METADATA] : [INSIDE]),
    });
  });
  afterAll(async () => {
    await pool.close();
    site.closeAllConnections();
    await new Promise((done) => site.close(done));
  });
  const timeouts = { actionMs: 5_000, assertionMs: 5_000, navigationMs: 5_000 };
  const open = (address: string) =>
    run(pool, [step("navigate", "", address)], { networkPolicy: "open", timeouts });

  test.each([METADATA, "metadata.test", "[::ffff:169.254.1.1]", "[fe80::1]"])(
    "refuses %s as link-local",
    async (host) => {
      expect((await open(`http://${host}:${port}/`)).error).toMatch(/link-local/);
    },
  );

  test("reaches this machine and hosts of the local network", async () => {
    for (const host of [INSIDE, "localhost", "shop.test"]) {
      expect((await open(`http://${host}:${port}/`)).error).toBeNull();
    }
  });
});

describe("a site with invalid responses", () => {
  test.each([
    ["a status below 100", "HTTP/1.1 099 Low"],
    ["a status of nothing", "HTTP/1.1 000 None"],
    ["a reason with a control character in it", "HTTP/1.1 200 O\u0001K"],
    ["what is no answer at all", "Hello"],
    [
      "another protocol that nobody asked for",
      "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x",
    ],
  ])("fails only the request with %s", async (_, line) => {
    const site = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`${line}\r\ncontent-length: 0\r\n\r\n`));
    });
    await new Promise<void>((done) => site.listen(0, OUTSIDE, done));
    const gate = await openGate(allowing("public", [OUTSIDE]));
    const { port } = site.address() as AddressInfo;
    const { hostname, port: gatePort } = new URL(gate.url);

    const answer = await new Promise<string>((done) => {
      const path = `http://${OUTSIDE}:${port}/`;
      const asked = request({ host: hostname, port: gatePort, path }, (response) =>
        done(`${response.statusCode}`),
      );
      asked.on("error", () => done("hung up"));
      asked.end();
    });
    gate.close();
    await new Promise((done) => site.close(done));

    expect(answer).toBe("hung up");
  });
});

test("is not connected to if the gate closes during the name lookup", async () => {
  let connections = 0;
  const site = createTcpServer(() => {
    connections += 1;
  });
  await new Promise<void>((done) => site.listen(0, OUTSIDE, done));
  const { port } = site.address() as AddressInfo;
  let answer = (_: readonly string[]): void => {};
  let looked = (): void => {};
  const isLooked = new Promise<void>((done) => {
    looked = done;
  });
  const resolve: Resolve = () =>
    new Promise((done) => {
      answer = done;
      looked();
    });
  const policy = allowing("public", [OUTSIDE]);
  const gate = await openGate(policy, resolve);
  const { hostname, port: gatePort } = new URL(gate.url);
  const asked = request({ host: hostname, port: gatePort, path: `http://slow.test:${port}/` });
  asked.on("error", () => {});
  asked.end();
  await isLooked;
  gate.close();
  answer([OUTSIDE]);
  await new Promise((done) => setImmediate(done));
  // A connection of our own comes after one of the gate's would have.
  await new Promise<void>((done) => {
    const mine = connect({ host: OUTSIDE, port }, () => mine.destroy());
    mine.on("close", () => done());
  });
  await new Promise((done) => site.close(done));

  expect(connections).toBe(1);
});
