/** Requests to a password thread. Costs are in the units of @node-rs/argon2: memory in KiB. */
export type PasswordWork =
  | {
      readonly kind: "hash";
      readonly password: string;
      readonly cost: {
        readonly memoryCost: number;
        readonly timeCost: number;
        readonly parallelism: number;
      };
    }
  | { readonly kind: "verify"; readonly password: string; readonly hash: string };

export type PasswordDone =
  | { readonly kind: "hashed"; readonly hash: string }
  | { readonly kind: "verified"; readonly fits: boolean };

export type PasswordAnswer = PasswordDone | { readonly kind: "failed"; readonly message: string };
