import type { ClusterInfo } from "@eventstore/db-client/generated/gossip_pb.js";
import type { ServerCall } from "../grpc/call.ts";
import { gossip, shared } from "../protocol/messages.ts";

/** A single node as a member of its cluster. */
export type Member = {
  /** UUID, constant while the server runs. */
  readonly instanceId: string;
  readonly call: Pick<ServerCall<unknown, unknown>, "authority">;
};

/**
 * The answer of Gossip/Read: one member, which leads and is alive. Its address is the one that the client
 * used, because the server does not know the addresses at which proxies and containers publish it.
 */
export const writeClusterInfo = ({ instanceId, call }: Member): ClusterInfo => {
  const { address, port } = call.authority;
  const member = new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(instanceId))
    // Ticks of 100 ns since the year 1, as in .NET.
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n + 621_355_968_000_000_000n))
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
};
