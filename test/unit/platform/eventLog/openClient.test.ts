import { EventStoreDBClient } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { disposeClient } from "../../../../src/platform/eventLog/dispose.ts";
import { withExtendedTimeout } from "../../../../src/platform/eventLog/openClient.ts";

test.each([
  ["no settings", "esdb://h:2113", "esdb://h:2113?keepAliveTimeout=10007"],
  ["a slash at the end", "esdb://h:2113/", "esdb://h:2113?keepAliveTimeout=10007"],
  ["others", "esdb://h?tls=false", "esdb://h?tls=false&keepAliveTimeout=10007"],
  [
    "a file name that is written as in a URL",
    "esdb://h?tlsCAFile=/etc/a%20b+c.pem",
    "esdb://h?tlsCAFile=/etc/a%20b+c.pem&keepAliveTimeout=10007",
  ],
  [
    "one of its own, in another case",
    "esdb://h?KeepAliveTimeout=5000&tls=false",
    "esdb://h?KeepAliveTimeout=5000&tls=false&keepAliveTimeout=5007",
  ],
  [
    "none at all",
    "esdb://h?keepAliveTimeout=-1",
    "esdb://h?keepAliveTimeout=-1&keepAliveTimeout=2000000007",
  ],
])(
  "sets a time-out and changes nothing else of a connection string with %s",
  (_name, url, expected) => {
    expect(withExtendedTimeout(url, 7)).toBe(expected);
    // The client takes it.
    expect(() =>
      EventStoreDBClient.connectionString(withExtendedTimeout("esdb://h:1?tls=false", 1)),
    ).not.toThrow();
  },
);

test("disposes of a client without waiting for its discovery of the cluster", async () => {
  const client = EventStoreDBClient.connectionString(
    "esdb+discover://127.0.0.1:1?tls=false&maxDiscoverAttempts=10000&discoveryInterval=500",
  );
  await disposeClient(client);
});
