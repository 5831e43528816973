/**
 * A refusal that only the edge can make (a missing header, a wrong media type): rules of the domain
 * throw DomainError instead. `detail` is written for the person who reads it and is all that the body says.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.headers = headers;
  }
}
