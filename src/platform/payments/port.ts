/** A payment to collect. Repeated requests for one change lead to the same checkout. */
export type CheckoutRequest = {
  /** Id of the plan change. Returned in the provider's events; used for deduplication. */
  readonly changeId: string;
  readonly priceId: string;
  /** Time of the plan change; its checkout cannot be older. */
  readonly askedAt: string;
  /** URL to return to after the payment. */
  readonly returnUrl: string;
};

/** A payment page. */
export type Checkout = { readonly id: string; readonly url: string };

/** A payment page to close. */
type CheckoutToClose = Pick<CheckoutRequest, "changeId" | "askedAt"> & {
  /** null: unknown; the checkout is searched for. */
  readonly checkoutId: string | null;
};

/** Result of closing a payment page. `paid`: it had already been paid. */
type ClosedCheckout = { readonly id: string; readonly outcome: "closed" | "paid" };

/** Result of a subscription change. */
export type ChangedSubscription = {
  /** Whether the payment is complete; if not, an event of the provider reports it. */
  readonly isPaid: boolean;
  readonly period: { readonly start: string; readonly end: string } | null;
};

/** A payment provider. Every call is idempotent and rejects only with PaymentError. */
export type PaymentProvider = {
  openCheckout(asked: CheckoutRequest): Promise<Checkout>;
  /** Closes a payment page. Idempotent; null if there is none. */
  closeCheckout(asked: CheckoutToClose): Promise<ClosedCheckout | null>;
  /** Changes the price of a subscription. The prorated difference is charged or credited immediately. */
  changeSubscription(asked: {
    readonly subscriptionId: string;
    readonly priceId: string;
    readonly changeId: string;
  }): Promise<ChangedSubscription>;
  /** Cancels a subscription, now or at the end of the paid period. Succeeds if it has ended or is unknown. */
  cancelSubscription(subscriptionId: string, when: "now" | "period_end"): Promise<void>;
  /** Removes a scheduled cancellation. */
  resumeSubscription(subscriptionId: string): Promise<void>;
};

/**
 * A request to a payment provider failed. `kind`: `away` (outcome unknown, retry), `declined` (payment declined),
 * `refused` (permanent). The message contains only the provider's error code, no keys or personal data.
 */
export class PaymentError extends Error {
  readonly kind: "away" | "declined" | "refused";

  constructor(kind: PaymentError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PaymentError";
    this.kind = kind;
  }
}
