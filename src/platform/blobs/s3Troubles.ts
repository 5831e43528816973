/** What a server says of a bucket that cannot be used, in plain words, with the setting that mends it. */
const TROUBLES: Readonly<Record<string, (bucket: string) => string>> = {
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
  RequestTimeTooSkewed: () => "does not believe this machine's clock",
  QuotaExceeded: () => "is full",
  XMinioStorageFull: () => "is full",
  SlowDown: () => "is overloaded",
  TimeoutError: () => "does not answer",
  RequestTimeout: () => "does not answer",
  ENOTFOUND: () => "cannot be reached: its host has no address",
  EAI_AGAIN: () => "cannot be reached: its host has no address",
  EPROTO: () => "does not speak TLS",
};

/** Why a call to a bucket failed, behind "The store of screenshots"; null for an error that is not the server's. */
export const whyOfS3 = (error: unknown, bucket: string): string | null => {
  if (!(error instanceof Error)) return null;
  const { name } = error;
  const { code, $metadata: said } = error as {
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  const known = TROUBLES[name] ?? (typeof code === "string" ? TROUBLES[code] : undefined);
  if (known) return known(bucket);
  const status = said?.httpStatusCode;
  if (status === undefined) return typeof code === "string" ? "cannot be reached" : null;
  if (status === 403) return `does not let this access key use the bucket ${bucket}`;
  if (status >= 500) return "answers with an error of its own";
  // What the client calls an answer that gives no code of S3's.
  if (/^Unknown(Error)?$/.test(name)) return `answers ${status}, and not as S3 does`;
  return `refuses what is asked of it: ${name}`;
};
