import { connect } from "nats";
import { natsConnection } from "./natsUrl.ts";

/** What a NATS server turned out to be. */
export type NatsFound = {
  readonly version: string;
  readonly encrypted: boolean;
  readonly roundTripMs: number;
  /** null where JetStream is off, or not for this user. `storageLeft`: bytes, null without a limit. */
  readonly jetStream: { readonly streams: number; readonly storageLeft: number | null } | null;
};

/** Looks at the server of NATS_URL. Rejects when it cannot be reached, believed or signed in to. */
export const inspectNats = async (url: string, patienceMs: number): Promise<NatsFound> => {
  const connection = await connect({
    ...natsConnection(url),
    name: "runledger doctor",
    reconnect: false,
    timeout: patienceMs,
  });
  try {
    const roundTripMs = await connection.rtt();
    const account = await connection
      .jetstreamManager({ timeout: patienceMs })
      .then((manager) => manager.getAccountInfo())
      .catch(() => null);
    const { version = "unknown", tls_required, tls_available } = connection.info ?? {};
    return {
      version,
      encrypted: tls_required === true || tls_available === true,
      roundTripMs,
      jetStream: account && {
        streams: account.streams,
        storageLeft:
          account.limits.max_storage < 0 ? null : account.limits.max_storage - account.storage,
      },
    };
  } finally {
    await connection.close();
  }
};
