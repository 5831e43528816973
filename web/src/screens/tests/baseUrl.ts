const keyOf = (organizationId: string): string => `runledger.address.${organizationId}`;

/** The address that the last run of the organisation in this browser used. */
export const lastBaseUrl = (organizationId: string): string =>
  localStorage.getItem(keyOf(organizationId)) ?? "";

export const rememberBaseUrl = (organizationId: string, address: string): void =>
  localStorage.setItem(keyOf(organizationId), address);
