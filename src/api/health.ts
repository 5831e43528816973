/** State of one part of the service. `detail` is a short reason without addresses or secrets. */
export type PartHealth = { readonly ok: boolean; readonly detail?: string };

/** State of every part of the service by part name. */
export type Health = Readonly<Record<string, PartHealth>>;
