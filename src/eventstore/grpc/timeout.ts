const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000001,
};

/** Parses the header `grpc-timeout`, up to eight digits and a unit, to milliseconds. */
export const readTimeout = (header: string | string[] | undefined): number | undefined => {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return digits === undefined || unit === undefined
    ? undefined
    : Number(digits) * (UNITS[unit] ?? 1);
};
