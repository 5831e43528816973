/** What is asked for to be paid. The same change asked for again leads to the same checkout. */
export type CheckoutRequest = {
  /** Of the change request: it comes back in the provider's events, and keeps a repeat from opening a second checkout. */
  readonly changeId: string;
  readonly priceId: string;
  /** Since when a checkout of it may be there: when the change was asked for. */
  readonly askedAt: string;
  /** Where the provider sends people back to. */
  readonly returnUrl: string;
};

/** A page on which somebody pays. */
export type Checkout = { readonly id: string; readonly url: string };

/** A page that should take no money any more. */
type CheckoutToClose = Pick<CheckoutRequest, "changeId" | "askedAt"> & {
  /** null: nobody heard whether one was opened; it is looked for. */
  readonly checkoutId: string | null;
};

/** What became of a page: it takes no money any more, or had taken it already. */
type ClosedCheckout = { readonly id: string; readonly outcome: "closed" | "paid" };

/** What is paid for, and until when, where the provider says so at once. */
export type ChangedSubscription = {
  /** Whether it is paid with this answer; otherwise an event of the provider says so. */
  readonly isPaid: boolean;
  readonly period: { readonly start: string; readonly end: string } | null;
};

/** A payment provider, as far as plans need one. Every call can be repeated. Rejects with PaymentError alone. */
export type PaymentProvider = {
  openCheckout(asked: CheckoutRequest): Promise<Checkout>;
  /** Sees to it that nobody pays on a page any more. One that is closed already is as good; null where there is none. */
  closeCheckout(asked: CheckoutToClose): Promise<ClosedCheckout | null>;
  /** Moves a subscription to another price; what differs until the end of its period is charged, or credited, at once. */
  changeSubscription(asked: {
    readonly subscriptionId: string;
    readonly priceId: string;
    readonly changeId: string;
  }): Promise<ChangedSubscription>;
  /** Ends a subscription, now or when what is paid for ends. One that has ended already, or is not known, is as good as ended. */
  cancelSubscription(subscriptionId: string, when: "now" | "period_end"): Promise<void>;
  /** Lets a subscription go on that was to end with its period. */
  resumeSubscription(subscriptionId: string): Promise<void>;
};

/**
 * A provider did not do what it was asked. `kind`: `away` (nobody knows whether it was done: ask again),
 * `declined` (the money was not there), `refused` (it will not be done however often it is asked). The text
 * holds the provider's code and no more: never a key, an address, or what somebody typed.
 */
export class PaymentError extends Error {
  readonly kind: "away" | "declined" | "refused";

  constructor(kind: PaymentError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PaymentError";
    this.kind = kind;
  }
}
