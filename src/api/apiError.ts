/** An error of the HTTP layer, such as a missing header. Domain rules throw DomainError. `detail` is the response body. */
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
