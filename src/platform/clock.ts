/** The current time. Tests use another clock. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
