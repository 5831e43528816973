/** Reasons for which a bucket cannot be used, by error name or code, with the setting to correct. */
const REASONS: Readonly<Record<string, (bucket: string) => string>> = {
  NoSuchBucket: (bucket) => `has no bucket ${bucket}`,
  InvalidAccessKeyId: () => "does not know the access key: AWS_ACCESS_KEY_ID is wrong",
  SignatureDoesNotMatch: () => "refuses the access key: AWS_SECRET_ACCESS_KEY is wrong",
  InvalidToken: () => "refuses the access key: AWS_SESSION_TOKEN is wrong",
  ExpiredToken: () => "refuses the access key: it has expired",
  AccessDenied: (bucket) => `does not let this access key use the bucket ${bucket}`,
  AllAccessDisabled: (bucket) => `does not let this access key use the bucket ${bucket}`,
  CredentialsProviderError: () =>
    "has no access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  PermanentRedirect: (bucket) => `has the bucket ${bucket} in another region: set AWS_REGION`,
  AuthorizationHeaderMalformed: (bucket) =>
    `has the bucket ${bucket} in another region: set AWS_REGION`,
  IllegalLocationConstraintException: (bucket) =>
    `has the bucket ${bucket} in another region: set AWS_REGION`,
  RequestTimeTooSkewed: () => "rejects this machine's clock as wrong",
  QuotaExceeded: () => "is full",
  XMinioStorageFull: () => "is full",
  SlowDown: () => "is overloaded",
  TimeoutError: () => "does not answer",
  RequestTimeout: () => "does not answer",
  ENOTFOUND: () => "cannot be reached: its host has no address",
  EAI_AGAIN: () => "cannot be reached: its host has no address",
  EPROTO: () => "does not speak TLS",
};

/** Why a bucket cannot be used, completing "The store of screenshots …"; null if the error is not about the bucket. */
export const bucketProblem = (error: unknown, bucket: string): string | null => {
  if (!(error instanceof Error)) return null;
  const { name } = error;
  const { code, $metadata: metadata } = error as {
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  const known = REASONS[name] ?? (typeof code === "string" ? REASONS[code] : undefined);
  if (known) return known(bucket);
  const status = metadata?.httpStatusCode;
  if (status === undefined) return typeof code === "string" ? "cannot be reached" : null;
  if (status === 403) return `does not let this access key use the bucket ${bucket}`;
  if (status >= 500) return `answers ${status}`;
  // The SDK's name for a response without an S3 error code.
  if (/^Unknown(Error)?$/.test(name)) return `answers ${status} without an S3 error code`;
  return `refuses the request: ${name}`;
};
