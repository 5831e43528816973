/** Types for the part of autocannon that the benches use; the package has none. */
declare module "autocannon" {
  type Result = {
    /** Seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
    readonly "2xx": number;
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  };
  const autocannon: (options: {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly headers?: Readonly<Record<string, string>>;
  }) => Promise<Result>;
  export default autocannon;
}
