import { connect } from "nats";
import { natsConnection } from "./natsUrl.ts";

/** Properties of a NATS server. */
export type NatsFound = {
  readonly version: string;
  readonly encrypted: boolean;
  readonly roundTripMs: number;
  /** null if JetStream is disabled or not permitted. `storageLeft`: bytes, null without a limit. */
  readonly jetStream: { readonly streams: number; readonly storageLeft: number | null } | null;
};

/** Inspects the server of NATS_URL. Rejects if the connection fails. */
export const inspectNats = async (url: string, timeoutMs: number): Promise<NatsFound> => {
  const connection = await connect({
    ...natsConnection(url),
    name: "runledger doctor",
    reconnect: false,
    timeout: timeoutMs,
  });
  try {
    const roundTripMs = await connection.rtt();
    const account = await connection
      .jetstreamManager({ timeout: timeoutMs })
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
