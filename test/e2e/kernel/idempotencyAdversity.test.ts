import { randomUUID } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, type Reply } from "../../support/client.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Callers that go away, shout, or send strange keys. */
describe("Idempotency-Key under failures", () => {
  let service: TestService;
  let own: Organization;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    own = await makeOrganization(service);
  });
  afterAll(() => service?.stop());

  const post = (key: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    call(service.url, "POST", "/api/v1/projects", {
      bearer: own.key,
      body,
      headers: { "idempotency-key": key, ...headers },
    });
  const idsNamed = async (name: string): Promise<string[]> => {
    const { body } = await call(service.url, "GET", "/api/v1/projects?limit=100", {
      bearer: own.key,
    });
    return body.items
      .filter((one: { name: string }) => one.name === name)
      .map(({ id }: { id: string }) => id);
  };
  const rawOf = (key: string, body: string): string =>
    [
      "POST /api/v1/projects HTTP/1.1",
      "Host: localhost",
      `Authorization: Bearer ${own.key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Idempotency-Key: ${key}`,
      "",
      body,
    ].join("\r\n");
  const connect = async (): Promise<net.Socket> => {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect(Number(port), hostname);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  };

  it("executes a request once if its client disconnects at any moment and repeats it", async () => {
    for (const waitMs of [0, 1, 3, 10, 30]) {
      const [key, name] = [randomUUID(), randomUUID()];
      const body = JSON.stringify({ name });
      const socket = await connect();
      socket.write(rawOf(key, body));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      socket.destroy();
      const reply = await eventually(
        () => post(key, { name }),
        ({ status }) => status !== 409,
      );
      expect(reply.status).toBe(201);
      const again = await post(key, { name });
      expect(again.body).toEqual(reply.body);
      expect(await idsNamed(name)).toEqual([reply.body.id]);
    }
  });

  it("leaves the key unused if the client disconnects within the body", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const socket = await connect();
    const raw = rawOf(key, JSON.stringify({ name: randomUUID() }));
    socket.write(raw.slice(0, -20));
    socket.destroy();
    expect((await post(key, { name })).status).toBe(201);
  });

  it("treats bodies as equal that differ only in white space and order of names", async () => {
    const key = randomUUID();
    const first = await post(key, '{"name":"spaced"}');
    const second = await post(key, ' {\n\t"name" : "sp\\u0061ced" } ');
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  it("executes one of two different bodies in twenty concurrent requests, once", async () => {
    const key = randomUUID();
    const names = [randomUUID(), randomUUID()];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(key, { name: names[n % 2] })),
    );
    const made = new Set(replies.flatMap(({ status, body }) => (status === 201 ? [body.id] : [])));
    expect(made.size).toBe(1);
    expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const there = await Promise.all(names.map(idsNamed));
    expect(there.flat()).toEqual([...made]);
  });

  it("refuses an invalid key and executes nothing", async () => {
    const name = randomUUID();
    const strange = ["", " ", "a b", "x".repeat(256), "caf\u00e9", "a,b c", "\t"];
    for (const key of strange) expect((await post(key, { name })).status).toBe(400);
    const socket = await connect();
    const twice = rawOf("one", JSON.stringify({ name })).replace(
      "Idempotency-Key: one",
      "Idempotency-Key: one\r\nIdempotency-Key: two",
    );
    socket.write(twice);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 /);
    expect(await idsNamed(name)).toEqual([]);
    for (const key of [
      "x".repeat(255),
      "!",
      "'; drop table idempotency_keys; --".replaceAll(" ", "_"),
      "%00",
      "a,b",
    ]) {
      expect((await post(key, { name: randomUUID() })).status).toBe(201);
    }
  });

  it("accepts a corrected body after a refusal, and a later refusal keeps the first response", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    expect((await post(key, { name: "" })).status).toBe(422);
    expect((await post(key, "{")).status).toBe(400);
    const done = await post(key, { name });
    expect(done.status).toBe(201);
    expect((await post(key, { name: "" })).status).toBe(422);
    expect((await post(key, { name: "other" })).status).toBe(409);
    expect((await post(key, { name })).body).toEqual(done.body);
    expect(done.headers.get("etag")).not.toBeNull();
    const again = await post(key, { name });
    for (const header of ["etag", "location", "content-type", "x-log-position"]) {
      expect(again.headers.get(header)).toBe(done.headers.get(header));
    }
    expect(again.headers.get("x-request-id")).not.toBe(done.headers.get("x-request-id"));
  });
});
