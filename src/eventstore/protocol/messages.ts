import { createRequire } from "node:module";
import type { Any } from "google-protobuf/google/protobuf/any_pb.js";
import type { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

/*
 * The messages of EventStoreDB's protocol come from the generated code of the db-client, so that client and
 * server agree. google-protobuf must be the copy that the client loads, because it compares classes.
 */
const requireHere = createRequire(import.meta.url);
const clientEntry = requireHere.resolve("@eventstore/db-client");
const requireFromClient = createRequire(clientEntry);
const generated = <Module>(name: string): Module =>
  requireFromClient(`../generated/${name}.js`) as Module;

type StreamsMessages = typeof import("@eventstore/db-client/generated/streams_pb.js");
type SharedMessages = typeof import("@eventstore/db-client/generated/shared_pb.js");
type StatusMessages = typeof import("@eventstore/db-client/generated/status_pb.js");
type GossipMessages = typeof import("@eventstore/db-client/generated/gossip_pb.js");
type FeaturesMessages = typeof import("@eventstore/db-client/generated/serverfeatures_pb.js");

/** Messages of `streams.proto`: Append, BatchAppend, Read. */
export const streams = generated<StreamsMessages>("streams_pb");
/** Messages of `shared.proto`: ids, stream names, the error details of BatchAppend. */
export const shared = generated<SharedMessages>("shared_pb");
/** `google.rpc.Status`, the form of BatchAppend's errors. */
export const status = generated<StatusMessages>("status_pb");
/** Messages of `serverfeatures.proto`: the methods that a server supports. */
export const features = generated<FeaturesMessages>("serverfeatures_pb");
/** Messages of `gossip.proto`: the members of a cluster. */
export const gossip = generated<GossipMessages>("gossip_pb");
/** `google.protobuf.Any`. */
export const AnyMessage = (
  requireFromClient("google-protobuf/google/protobuf/any_pb.js") as { Any: typeof Any }
).Any;
/** `google.protobuf.Empty`; not the `Empty` of `shared.proto`. */
export const GoogleEmpty = (
  requireFromClient("google-protobuf/google/protobuf/empty_pb.js") as { Empty: typeof Empty }
).Empty;
/** `google.protobuf.Timestamp`. */
export const Timestamp =
  (): typeof import("google-protobuf/google/protobuf/timestamp_pb.js").Timestamp =>
    (
      requireFromClient(
        "google-protobuf/google/protobuf/timestamp_pb.js",
      ) as typeof import("google-protobuf/google/protobuf/timestamp_pb.js")
    ).Timestamp;
/** The gRPC client of the service Streams. Loaded on demand: only code that bypasses the db-client needs it. */
export const streamsClient = (): StreamsClientModule["StreamsClient"] =>
  generated<StreamsClientModule>("streams_grpc_pb").StreamsClient;

type StreamsClientModule = typeof import("@eventstore/db-client/generated/streams_grpc_pb.js");
