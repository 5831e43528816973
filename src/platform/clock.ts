/** The time, as a port: tests let a year pass in a second. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
