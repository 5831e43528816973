import type { Remark } from "../../domain/audit/tree/checkpoint.ts";

type StoredRemark = {
  readonly kind: Remark["kind"];
  readonly size: number;
  readonly at: string;
  readonly root?: string;
  readonly backup?: string;
};

/** Encodes remarks as JSON. */
export const encodeRemarks = (remarks: readonly Remark[]): string =>
  JSON.stringify(
    remarks.map((remark) =>
      remark.kind === "restored"
        ? { ...remark, root: Buffer.from(remark.root).toString("hex") }
        : remark,
    ),
  );

/** Decodes a JSON column of remarks, which the driver has parsed. */
export const decodeRemarks = (stored: unknown): readonly Remark[] =>
  (stored as readonly StoredRemark[]).map(({ kind, size, at, root = "", backup = "" }) =>
    kind === "adopted"
      ? { kind, size, at }
      : { kind, size, at, backup, root: new Uint8Array(Buffer.from(root, "hex")) },
  );
